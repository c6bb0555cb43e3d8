// Strict checks: two warps that touch one byte of shared memory, one of them writing, with nothing between
// that could order them: a data race (PTX ISA 8.10).
//
// Whatever may order memory (a barrier, an mbarrier, a fence, an atomic, a volatile or relaxed access,
// anything asynchronous: the column Order of an instruction's row says it) gives away what its warp did
// before, and learns what every other warp of the cluster has given away. That is more order than there is:
// some races stay unseen, but no right program is refused. Who waits at a barrier learns when it completes:
// when it wakes up, others may be at the next one already. Accesses that are not weak are not watched; lanes
// of one warp are LaneMeetings.h's.
#pragma once

#include "runtime/simulator/machine/Warp.h"

#include <optional>

namespace mxc::sim {

void giveAway(Warp &warp);                                  // before what mayGiveAway (CheckRoles.h)
void learn(Warp &warp);                                     // past it, or when what it waits for completes
void learn(Warp &warp, const std::vector<uint32_t> &given); // what was given away by then
/// Of an instruction that goes on behind a wait whose end it has learned: it learns no more.
inline void hasLearned(Warp &warp) { warp.isOrdering = false; }

/// A weak access to shared memory of `cta`, whose range has been checked. Throws FaultError (Race).
void noteAccess(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, bool isWrite, int lane);
/// The warp is to issue an asynchronous write of those bytes. Throws FaultError (Race): another warp has read
/// there, and nothing orders the two.
void requireReadsOrdered(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, int lane);

uint32_t accessesGiven(Warp &warp); // how often it has
/// The same, of a warp that has something more to give away.
uint32_t openAccesses(Warp &warp);
/// What a warp has learned, of every warp of its cluster.
const std::vector<uint32_t> &learnedBy(Warp &warp);
/// One more number that is given and learned, 0 at first: its place there.
uint32_t addClock(Cluster &cluster);
/// All that is known of the order, made at the first use, and a warp's number there.
AccessOrder &orderOf(Cluster &cluster);
uint32_t numberOf(const Warp &warp);

/// Which lane of which warp wrote a byte last, and how often the warp had given away its accesses then.
struct LastWrite {
  const Warp *warp = nullptr;
  int lane = 0;
  uint32_t given = 0;
};
std::optional<LastWrite> lastWriteOf(Cluster &cluster, const SharedMemory &shared, uint32_t offset);

/// Bytes that something asynchronous has written.
void forgetAccesses(SharedMemory &shared, uint32_t offset, uint32_t bytes);

} // namespace mxc::sim
