// Named barriers of a CTA and the barrier of a cluster. Threads arrive, not warps: lanes may come apart.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace mxc::sim {

struct NamedBarrier {
  uint32_t arrived = 0;  // threads in this phase
  uint32_t expected = 0; // 0: all live threads of the CTA
  uint64_t phase = 1;    // counts completed phases, from 1: a WarpSplit's token is never 0
  uint32_t predicateCount = 0, lastPredicateCount = 0, lastArrived = 0; // bar.red; last: of the phase before
  std::vector<uint32_t> arriving,
      given; // what arrivals tell of this phase, of the one before (Checks::Strict)
};
using NamedBarriers = std::array<NamedBarrier, 16>;

/// A thread that arrives and exits must not count twice: arrivals are lanes of warps, those of CTA 0 first.
struct ClusterBarrier {
  std::vector<uint32_t> arrivedLanes; // of each warp in this phase; empty: nobody yet
  uint64_t phase = 1;
  std::vector<uint32_t> arriving, given; // as of NamedBarrier
};

} // namespace mxc::sim
