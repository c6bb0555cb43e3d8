#include "runtime/simulator/memory/LaneMeetings.h"

#include <algorithm>

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

void noteLaneRead(Warp &warp, SharedMemory &shared, uint32_t offset, uint32_t bytes, int lane) {
  const uint32_t number = numberOf(warp) + 1, given = accessesGiven(warp), own = 1u << lane;
  for (uint32_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    LaneReads &reads = shared.laneReads[i];
    if (reads.warp != number) {
      reads = {number, given, own};
      continue;
    }
    if (reads.given != given) { // who has met the others since then is no longer of interest
      for (uint32_t lanes = reads.lanes; lanes; lanes &= lanes - 1)
        if (warp.meetings.hasGiven(__builtin_ctz(lanes), reads.given)) reads.lanes &= ~(lanes & -lanes);
      reads.given = given;
    }
    reads.lanes |= own;
  }
}

void forgetLaneReads(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (shared.laneReads.empty() || !bytes) return;
  std::fill(shared.laneReads.begin() + offset / 4, shared.laneReads.begin() + (offset + bytes + 3) / 4,
            LaneReads{});
}

/// The first words `from` .. `to` - 1 of shared memory of `cta` are to be written for `lane`.
static void requireReadsMet(Warp &warp, const Cta &cta, uint32_t from, uint32_t to, const char *access,
                            int lane) {
  Cluster &cluster = clusterOf(warp);
  const uint32_t warps = uint32_t(cluster.ctas[0]->warps.size());
  for (uint32_t word = from; word < to; ++word) {
    const LaneReads &reads = cta.shared.laneReads[word];
    if (!reads.warp) continue;
    const Warp &reader = cluster.ctas[(reads.warp - 1) / warps]->warps[(reads.warp - 1) % warps];
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
}

void requireReadsMetByWrite(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  const std::vector<LaneReads> &reads = cta.shared.laneReads;
  if (reads.empty()) return;
  for (uint32_t word = (offset + 3) / 4; word < (offset + bytes) / 4; ++word) {
    const bool isRace = reads[word].warp && reads[word].warp != numberOf(warp) + 1 &&
                        learnedBy(warp)[reads[word].warp - 1] <= reads[word].given; // SharedRaces.h's
    if (!isRace) requireReadsMet(warp, cta, word, word + 1, "write of", lane);
  }
}

void requireReadsMetByCopy(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  if (cta.shared.laneReads.empty() || !bytes) return;
  requireReadsMet(warp, cta, offset / 4, (offset + bytes + 3) / 4, "the async proxy is to write", lane);
}

} // namespace mxc::sim
