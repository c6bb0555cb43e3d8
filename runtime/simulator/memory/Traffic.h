// Counts what a warp's access moves: bytes asked for, 32-byte sectors, wavefronts of shared memory.
#pragma once

#include "runtime/simulator/memory/Access.h"

namespace mxc::sim {

/// Different 32-byte sectors that the lanes of `mask` touch with `bytes` each.
uint32_t sectorsOf(const uint64_t *addresses, uint32_t mask, uint32_t bytes);

struct Wavefronts {
  uint32_t actual = 0, ideal = 0;
};

/// Shared memory has 32 banks of 4 bytes; a wavefront serves one word of every bank, to any number of lanes.
/// Accesses of 8 bytes go by half warps, those of 16 by quarter warps. Ideal: one for each of these groups
/// that has an executing lane.
Wavefronts wavefrontsOf(const uint64_t *addresses, uint32_t mask, uint32_t bytes);

/// Adds to *warp.statistics, which is not null. Atomic operations count as stores.
void countTraffic(Warp &warp, ptx::Space space, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                  AccessKind kind);

} // namespace mxc::sim
