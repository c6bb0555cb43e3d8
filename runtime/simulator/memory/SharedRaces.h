// Strict checks: two warps that touch one byte of shared memory, one of them writing, with nothing between
// that could order them: a data race (PTX ISA 8.10).
//
// Whatever may order memory (the column Order of an instruction's row says it) gives away what its warp did
// before. By a barrier of the CTA or the cluster and by an mbarrier a warp learns what those that have
// arrived gave away, and what they had learned: whoever else is ahead is no matter, so that a race is seen
// under every schedule. So by an acquire in global memory at gpu or sys scope: what has been released there
// (GlobalOrder.h's learnsFromPlaces). By a fence, another atomic or another access that is not weak it learns
// what every other warp of the cluster has given away: that is more order than there is, and some races stay
// unseen, but no right program is refused. Who waits at a barrier learns when it completes: when it wakes up,
// others may be at the next one already. Accesses that are not weak are not watched; lanes of one warp are
// LaneMeetings.h's.
#pragma once

#include "runtime/simulator/machine/Warp.h"

#include <optional>

namespace mxc::sim {

/// How a warp gives away what it did.
enum class Giving : uint8_t {
  Apart,   // others may know it now, and its lanes know nothing of each other
  Lanes,   // .. and the executing lanes give away what they did
  ToLanes, // its lanes alone know it, when all have come: bar.warp.sync
};
void giveAway(Warp &warp, Giving giving);                   // before what mayGiveAway (CheckRoles.h)
void learn(Warp &warp);                                     // past it, or when what it waits for completes
void learn(Warp &warp, const std::vector<uint32_t> &given); // what was given away by then

/// Some lanes learn that, the others at the next meeting.
void learnByLanes(Warp &warp, const std::vector<uint32_t> &given);
void meetInOrder(Warp &warp);
/// learnedBy without what only some lanes know.
const std::vector<uint32_t> &learnedByAll(Warp &warp);

void addOrder(std::vector<uint32_t> &to, const std::vector<uint32_t> &order);
/// For an mbarrier: something arrives that tells this; a phase ends; a warp has seen its end.
void arriveInOrder(Cluster &cluster, uint32_t mbarrier, const std::vector<uint32_t> &order);
void arriveAsynchronously(Cluster &cluster, uint32_t mbarrier, const AsyncOperation &operation);
void endPhaseInOrder(Cluster &cluster, uint32_t mbarrier);
void learnPhase(Warp &warp, uint32_t mbarrier);
/// A warp is to arrive on an mbarrier of another CTA of its cluster, by its rank.
void noteRemoteArrival(Warp &warp, uint32_t rank);
/// A warp of another CTA that has so arrived, or accessed shared memory of the CTA, which no warp of that
/// knows.
struct RemoteUser {
  const Warp *warp;
  bool hasArrived;
};
std::optional<RemoteUser> unknownRemoteUse(Cta &cta);
/// An mbarrier of the CTA on which something has arrived asynchronously in a phase whose end no warp of the
/// CTA knows.
std::optional<uint32_t> unknownPhase(Cta &cta);

/// A weak access to shared memory of `cta`, whose range has been checked. Throws FaultError (Race).
void noteAccess(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, bool isWrite, int lane);
/// The warp is to issue an asynchronous write of those bytes. Throws FaultError (Race): another warp has read
/// there, and nothing orders the two.
void requireReadsOrdered(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, int lane);

void endTime(Warp &warp);           // what it does from now on is not given away yet
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

/// Whether the warp wrote a byte last, or is ordered after who did; true of one of which nothing is known.
bool isBehindWrite(Warp &warp, const SharedMemory &shared, uint32_t offset);

/// Bytes that something asynchronous has written.
void forgetAccesses(SharedMemory &shared, uint32_t offset, uint32_t bytes);

} // namespace mxc::sim
