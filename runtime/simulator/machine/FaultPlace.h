// Where a fault happened, for its report.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// Fills in what the fault does not say yet: kernel, CTA, warp, thread, and its line with the text. Without a
/// line it is that of the instruction that the warp's current split is at.
void placeFault(Fault &fault, const Warp &warp);

} // namespace mxc::sim
