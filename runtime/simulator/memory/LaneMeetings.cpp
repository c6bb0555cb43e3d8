#include "runtime/simulator/memory/LaneMeetings.h"

#include <algorithm>
#include <array>

namespace mxc::sim {

static void note(Warp &warp, uint32_t lanes) { warp.meetings.note(lanes, accessesGiven(warp)); }

void beginMeeting(Warp &warp) { note(warp, warp.mask == warp.liveLanes() ? ~0u : warp.mask); }

void endMeeting(Warp &warp, Giving giving) {
  if (giving == Giving::ToLanes && std::exchange(warp.isToldApart, false)) endTime(warp);
  note(warp, ~0u);
}

bool isBehindLane(Warp &warp, const Warp &other, int lane, uint32_t given) {
  if (&other == &warp) return other.meetings.hasGiven(lane, given);
  return other.meetings.hadGiven(lane, given, learnedBy(warp)[numberOf(other)]);
}

bool isBehindLanes(Warp &warp, const Warp &other, uint32_t given) {
  for (int lane = 0; lane < kLanes; ++lane)
    if (!isBehindLane(warp, other, lane, given)) return false;
  return true;
}

void requireLanesMet(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  const SharedMemory &shared = cta.shared;
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    if (i > offset && shared.lastWrite[i] == shared.lastWrite[i - 1] &&
        shared.lastLane[i] == shared.lastLane[i - 1])
      continue; // the same write
    std::optional<LastWrite> write = lastWriteOf(clusterOf(warp), cta.shared, i);
    if (!write || isBehindLane(warp, *write->warp, write->lane, write->given)) continue;
    if (write->warp == &warp && write->lane == lane) continue;
    report(*gridOf(warp).options, Finding::UnmetLanes, FaultKind::Race,
           "the async proxy is to read shared memory of CTA rank " + std::to_string(cta.rank) +
               " at offset " + std::to_string(i + kSharedBase) + " for this lane, where lane " +
               std::to_string(write->lane) + " of warp " + std::to_string(write->warp->index) +
               " wrote, with no bar.warp.sync or arrival by that lane since",
           lane);
  }
}

void requireLaneMet(Warp &warp, const Cta &cta, uint32_t offset, bool isWrite, int lane) {
  std::optional<LastWrite> write = lastWriteOf(clusterOf(warp), cta.shared, offset);
  if (!write || isBehindLane(warp, *write->warp, write->lane, write->given)) return;
  if (write->warp == &warp && (isWrite || write->lane == lane)) return; // lanes of one store may agree
  report(*gridOf(warp).options, Finding::UnmetLanes, FaultKind::Race,
         std::string(isWrite ? "write" : "read") + " of shared memory of CTA rank " +
             std::to_string(cta.rank) + " at offset " + std::to_string(offset + kSharedBase) +
             ", where lane " + std::to_string(write->lane) + " of warp " +
             std::to_string(write->warp->index) +
             " wrote, with no bar.warp.sync or arrival by that lane since",
         lane);
}

static const Warp &readerOf(Cluster &cluster, const LaneReads &reads) {
  const uint32_t number = reads.warp - 1, warps = uint32_t(cluster.ctas[0]->warps.size());
  return cluster.ctas[number / warps]->warps[number % warps];
}

/// Of another warp: who comes after `warp` comes after them, too.
static bool isBehindReads(Warp &warp, const LaneReads &reads) {
  if (learnedBy(warp)[reads.warp - 1] <= reads.given) return false;
  const Warp &reader = readerOf(clusterOf(warp), reads);
  for (uint32_t lanes = reads.lanes; lanes; lanes &= lanes - 1)
    if (!isBehindLane(warp, reader, __builtin_ctz(lanes), reads.given)) return false;
  return true;
}

void noteLaneRead(Warp &warp, SharedMemory &shared, uint32_t offset, uint32_t bytes, int lane) {
  const uint32_t number = numberOf(warp) + 1, given = accessesGiven(warp), own = 1u << lane;
  auto isNeeded = [&](const LaneReads &reads) { return !isBehindReads(warp, reads); };
  for (uint32_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    LaneReads &reads = shared.laneReads.readsOf(i, number, isNeeded);
    if (reads.given != given) { // who has met the others since then is no longer of interest
      for (uint32_t lanes = reads.lanes; lanes; lanes &= lanes - 1)
        if (warp.meetings.hasGiven(__builtin_ctz(lanes), reads.given)) reads.lanes &= ~(lanes & -lanes);
      reads.given = given;
    }
    reads.lanes |= own;
    reads.isFenced = false;
  }
}

void forgetLaneReads(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (!shared.laneReads.isEmpty() && bytes) shared.laneReads.forget(offset / 4, (offset + bytes + 3) / 4);
}

/// A word of shared memory of `cta` that lanes have read is to be written for `lane`.
static void requireReadsMet(Warp &warp, const Cta &cta, uint32_t word, const LaneReads &reads,
                            const char *access, int lane) {
  const Warp &reader = readerOf(clusterOf(warp), reads);
  for (uint32_t lanes = reads.lanes; lanes; lanes &= lanes - 1) {
    const int other = __builtin_ctz(lanes);
    if (isBehindLane(warp, reader, other, reads.given) || (&reader == &warp && other == lane)) continue;
    report(*gridOf(warp).options, Finding::UnmetLanes, FaultKind::Race,
           std::string(access) + " shared memory of CTA rank " + std::to_string(cta.rank) + " at offset " +
               std::to_string(word * 4 + kSharedBase) + " for this lane, where lane " +
               std::to_string(other) + " of warp " + std::to_string(reader.index) + " of CTA rank " +
               std::to_string(reader.cta->rank) +
               " has read, with no bar.warp.sync or arrival by that lane since",
           lane);
  }
}

void requireReadsMetByWrite(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  const WordReaders &readers = cta.shared.laneReads;
  if (readers.isEmpty()) return;
  for (uint32_t word = (offset + 3) / 4; word < (offset + bytes) / 4; ++word)
    readers.forEach(word, [&](const LaneReads &reads) {
      const bool isRace = reads.warp != numberOf(warp) + 1 &&
                          learnedBy(warp)[reads.warp - 1] <= reads.given; // SharedRaces.h's
      if (!isRace) requireReadsMet(warp, cta, word, reads, "write of", lane);
    });
}

void requireReadsMetByCopy(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  const WordReaders &readers = cta.shared.laneReads;
  if (readers.isEmpty() || !bytes) return;
  std::array<LaneReads, 4> known{}; // lanes that are in order: neighbours mostly have the same readers
  for (uint32_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    size_t number = 0;
    readers.forEach(word, [&](const LaneReads &reads) {
      LaneReads &inOrder = known[number++ % known.size()];
      if (inOrder.warp != reads.warp || inOrder.given != reads.given)
        inOrder = {.warp = reads.warp, .given = reads.given};
      if (!(reads.lanes & ~inOrder.lanes)) return;
      requireReadsMet(warp, cta, word, reads, "the async proxy is to write", lane);
      inOrder.lanes |= reads.lanes;
    });
  }
}

bool fenceReads(Warp &warp, SharedMemory &shared, uint32_t offset) {
  if (shared.laneReads.isEmpty()) return true;
  return shared.laneReads.fence(offset / 4, [&](const LaneReads &reads) {
    return reads.warp == numberOf(warp) + 1 || learnedBy(warp)[reads.warp - 1] > reads.given;
  });
}

} // namespace mxc::sim
