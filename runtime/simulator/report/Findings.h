// How a check reports what it finds, unless the user leaves it out.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/report/Fault.h"

#include <string>

namespace mxc::sim {

/// Throws FaultError unless the options leave the finding out.
inline void report(const Options &options, Finding finding, FaultKind kind, std::string message,
                   int lane = -1) {
  if (!options.leavesOut(finding)) throw FaultError(kind, finding, std::move(message), lane);
}

} // namespace mxc::sim
