// The allocation that an address lies in, mostly without asking GlobalMemory, whose lock all host threads
// share.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// The allocation that holds all of [address, address + bytes), null if there is none. Remembers what this
/// host thread found during this launch: no allocation is released while a kernel runs.
const Allocation *recentAllocation(const Grid &grid, uint64_t address, uint64_t bytes);

} // namespace mxc::sim
