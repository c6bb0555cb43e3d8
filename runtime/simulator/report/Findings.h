// The names of what checks find, and how a check reports it unless the user leaves it out.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/report/Fault.h"

#include <string>
#include <string_view>

namespace mxc::sim {

inline constexpr size_t kFindings = 0
#define FINDING(enumerator, name) +1
#include "runtime/simulator/report/Findings.def"
    ;

std::string_view name(Finding finding); // "shared-race"

/// Throws FaultError unless the options leave the finding out.
inline void report(const Options &options, Finding finding, FaultKind kind, std::string message,
                   int lane = -1) {
  if (!options.leavesOut(finding)) throw FaultError(kind, finding, std::move(message), lane);
}

} // namespace mxc::sim
