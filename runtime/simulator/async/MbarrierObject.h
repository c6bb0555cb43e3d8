// mbarrier objects: eight bytes of shared memory.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// One phase's state, as it lies in the eight bytes (the layout is this simulator's own; kernels must not
/// look into it).
struct Mbarrier {
  uint32_t expected = 0;    // arrivals of every phase, 1 to 2^20 - 1
  uint32_t pending = 0;     // arrivals that this phase still waits for
  int32_t transactions = 0; // bytes still to come; may go below 0 before they are announced
  bool phase = false;       // parity of the current, incomplete phase
  bool operator==(const Mbarrier &) const = default;
};

/// WarpSplit::token of who is blocked at a wait for a phase: it goes on, or has seen the phase's end.
inline constexpr uint64_t kAwaitsPhase = 1, kHasSeenPhase = 2;

uint64_t encodeMbarrier(const Mbarrier &barrier);      // also the state that arrive gives back
std::optional<Mbarrier> decodeMbarrier(uint64_t word); // nothing: that is no mbarrier

Mbarrier loadMbarrier(Cluster &cluster,
                      uint32_t address); // throws FaultError: no mbarrier there, out of bounds, misaligned

/// BarrierMisuse: a count out of range; with checks, transactions of what was there are open.
void initializeMbarrier(Cluster &cluster, uint32_t address, uint32_t count);
void invalidateMbarrier(Cluster &cluster, uint32_t address);

/// Effects; each completes the phase when nothing is pending any more. `address`: 32-bit shared, of any CTA
/// of the cluster. `what` arrives or brings the bytes: "a commit", for report/Features.h.
void arriveOnMbarrier(Cluster &cluster, uint32_t address, uint32_t count,
                      const char *what); // throws FaultError: more than are awaited
void dropFromMbarrier(Cluster &cluster, uint32_t address, uint32_t count,
                      const char *what); // arrives, and is not awaited in later phases
void expectTransactions(Cluster &cluster, uint32_t address, uint32_t bytes);
void completeTransactions(Cluster &cluster, uint32_t address, uint32_t bytes, const char *what);
void awaitOneMore(Cluster &cluster, uint32_t address); // an arrival more in this phase alone

} // namespace mxc::sim
