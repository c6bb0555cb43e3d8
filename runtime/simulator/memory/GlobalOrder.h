// Strict checks: bytes of global memory that another warp of the running grid wrote. A weak load and an
// asynchronous read need an order after the store:
// - of a warp of the same cluster by SharedRaces.h's order, given away by the lane that stored or by one that
//   had met it, and, where that order comes from global memory, learned by the lane or by one that it has
//   met,
// - of another cluster by a release and an acquire at gpu or sys scope of one place in global memory, the
//   release after the store and after whatever tells the releasing warp of it. A fence in front of a strong
//   write is a release, and one after a strong read an acquire; which warp of the cluster executed the fence
//   is not asked.
// What a warp knows of other clusters it passes on at barriers of the CTA or cluster and from arrivals at an
// mbarrier to waits for it. A relaxed access of global memory that says so gives and tells nothing.
// A lane of a warp that releases stands for those that it has met since (LaneMeetings.h), and what
// one acquires others know after a barrier of the whole warp.
// An asynchronous read also needs a fence.proxy.async that is not restricted to shared memory: after the
// store by a warp that knows of it, in the writer's cluster or in the reader's.
//
// A weak store needs the same order after atomic operations and other strong writes to its place. One that
// releases is ordered after itself: who acquires what it wrote may store there. So does a weak load, or an
// asynchronous read, unless a strong load of that place has found the write (an order of its own thread, and
// those that it has met).
//
// Not watched: accesses that are not weak otherwise (but RelaxedMessages.h), what the async proxy writes,
// loads before a store, and two weak stores to one place. The end of a grid orders everything.
#pragma once

#include "runtime/simulator/memory/Access.h"

#include <mutex>

namespace mxc::sim {

/// What an instruction does to the order, of Instruction::globalEffect.
enum GlobalEffect : uint8_t {
  kAcquires = 1,
  kReleases = 2,
  kReadsStrongly = 4,
  kWritesStrongly = 8,
  kFences = 16,           // at gpu or sys scope
  kFencesProxy = 32,      // fence.proxy.async of global memory
  kOrdersNothing = 64,    // a relaxed access of global memory, and says so
  kMeetsAtMbarrier = 128, // what is known of other clusters goes from arrivals to waits
};
uint8_t globalEffect(const ptx::Instruction &instruction);

/// What is known of the order in a grid that begins; null unless GlobalMemory::tracksWriters().
std::shared_ptr<GlobalOrder> makeGlobalOrder(const GlobalMemory &memory);

/// Around an atomic operation or other strong access of global memory, its effects included: of two of them
/// who writes last is also noted last, and who reads what one wrote knows what that told, in whichever
/// threads.
std::unique_lock<std::mutex> holdStrongAccesses(Warp &warp, const Instruction &instruction);
void beginGlobalEffect(Warp &warp, const Instruction &instruction);
void endGlobalEffect(Warp &warp, const Instruction &instruction);
/// A fence, or a strong access of smaller scope or of shared memory: what the cluster's warps tell each other
/// is no longer known to be releases at places.
void noteOtherOrder(Warp &warp);
/// Whether an acquiring access teaches what has been told at its places, of warps of the same cluster, too,
/// and nothing else: until one of these has a fence, or a strong write that may be part of another order
/// (volatile, of smaller scope, an atomic without .relaxed).
bool learnsFromPlaces(Warp &warp, const Instruction &instruction);
/// A warp learns of other clusters from its own one at barriers and mbarriers alone: there it meets all that
/// have come.
void giveGlobal(Warp &warp);
void learnGlobal(Warp &warp);

/// All lanes of the warp have met.
void meetGlobal(Warp &warp);

/// An access of the generic proxy, whose range has been checked. A load with no order is kept for
/// takeUnorderedLoads: what it finds matters where it is used, as kernels load for lanes outside of a matrix
/// what lies inside. Throws FaultError (Race) for other reads.
void noteGlobalAccess(Warp &warp, uint64_t address, uint32_t bytes, AccessKind kind, int lane);
/// The lanes of the load that executes whose bytes have no order; text: of the first.
struct UnorderedLoads {
  uint32_t lanes = 0;
  std::shared_ptr<const std::string> text;
};
UnorderedLoads takeUnorderedLoads(Warp &warp);
/// What the async proxy is to read for `lane`; a range outside of an allocation is another check's. Throws
/// FaultError (Race, ProxyOrder).
void requireGlobalOrder(Warp &warp, uint64_t address, uint32_t bytes, int lane);
/// Bytes that the async proxy has written.
void forgetGlobalWrites(const GlobalMemory &memory, uint64_t address, uint32_t bytes);

} // namespace mxc::sim
