// The same access by all lanes of a warp: one check for all where they lie in one place.
#pragma once

#include "runtime/simulator/memory/Access.h"

namespace mxc::sim {

/// Where each lane finds its bytes. Lanes that do not execute have the address of one that does, so that
/// loops over all lanes read valid memory.
struct LanePlaces {
  uint64_t addresses[kLanes];
  std::byte *host[kLanes];
  bool isRun; // all lanes execute, and each one's bytes follow those of the lane before: one copy from
              // host[0] will do
  uint32_t unwritten; // AccessKind::Load: lanes that found what nobody wrote
};

/// Evaluates the operand and checks like access(), for the lanes of `mask` (not 0). Counts traffic if
/// statistics are kept.
void placeLanes(Warp &warp, const Address &address, uint32_t mask, ptx::Space space, uint32_t bytes,
                AccessKind kind, LanePlaces &places);

} // namespace mxc::sim
