// Counts of a simulated launch that tell how fast a tile would be.
#pragma once

#include "runtime/device/Device.h"

#include <cstdint>
#include <functional>

namespace mxc::tune {

struct LaunchCounts {
  uint64_t sectors = 0;       // of 32 bytes of global memory, bulk copies' bytes among them
  uint64_t instructions = 0;  // of warps
  uint64_t bankConflicts = 0; // wavefronts of shared memory beyond what its bytes need
};

/// Returns the counts since the last call.
using TakeCounts = std::function<LaunchCounts()>;

/// Adds the microseconds of the traffic at the memory's rate to those of the instructions and conflicts, at
/// four in a cycle on every multiprocessor: an order to try tiles in, not a time. Nothing overlaps, so that
/// less of either is always better.
double scoreOf(const LaunchCounts &counts, const DeviceLimits &limits);

} // namespace mxc::tune
