#include "runtime/simulator/memory/ReadObservation.h"

#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

namespace {

Warp &warpOf(Cluster &cluster, uint32_t number) {
  const uint32_t warps = uint32_t(cluster.ctas[0]->warps.size());
  return cluster.ctas[number / warps]->warps[number % warps];
}

/// Whether `lane` of the warp knows that those reads are over.
bool knows(Warp &warp, int lane, const BulkReads::Group &group) {
  if (!group.isObserved) return false;
  const bool isOwnWarp = group.warp == numberOf(warp);
  if (isOwnWarp && group.lane == lane) return true;
  if (!isOwnWarp && learnedBy(warp)[group.warp] <= group.given) return false;
  return warpOf(clusterOf(warp), group.warp).laneGiven[size_t(group.lane)] > group.given;
}

} // namespace

void noteBulkRead(Warp &warp, uint32_t address, uint32_t bytes, int lane) {
  Cluster &cluster = clusterOf(warp);
  SharedMemory &shared = cluster.ctas[address >> kSharedRankShift]->shared;
  if (shared.lastWrite.empty()) return;
  if (shared.bulkReads.empty()) shared.bulkReads.resize(shared.bytes.size() / 16 + 1);
  BulkReads &reads = orderOf(cluster).bulkReads;
  const uint32_t number = numberOf(warp);
  const uint64_t group = groupsCommitted(warp.asyncGroups.bulkReads, lane);
  const bool isKnown = !reads.groups.empty() && reads.groups.back().warp == number &&
                       reads.groups.back().lane == lane && reads.groups.back().group == group;
  if (!isKnown) {
    reads.unobserved.push_back(uint32_t(reads.groups.size()));
    reads.groups.push_back({number, lane, group});
  }
  const uint32_t offset = (address & ((1u << kSharedRankShift) - 1)) - kSharedBase;
  for (uint32_t i = offset / 16; i < (offset + bytes + 15) / 16; ++i)
    shared.bulkReads[i] = uint32_t(reads.groups.size());
}

void observeBulkReads(Warp &warp, int lane, uint64_t count) {
  BulkReads &reads = clusterOf(warp).order.bulkReads;
  if (reads.unobserved.empty()) return;
  const uint64_t committed = groupsCommitted(warp.asyncGroups.bulkReads, lane);
  std::erase_if(reads.unobserved, [&](uint32_t index) {
    BulkReads::Group &group = reads.groups[index];
    if (group.warp != numberOf(warp) || group.lane != lane || group.group + count >= committed) return false;
    group.isObserved = true, group.given = openAccesses(warp);
    return true;
  });
}

void noteProductReads(Warp &warp, std::span<const uint32_t> chunks) {
  SharedMemory &shared = warp.cta->shared;
  if (shared.lastWrite.empty()) return;
  const size_t warpgroup = warp.index / 4;
  if (shared.productReads.size() <= warpgroup) shared.productReads.resize(warpgroup + 1);
  ProductReads &reads = shared.productReads[warpgroup];
  if (reads.groups.empty()) {
    reads.groups.resize(shared.bytes.size() / 16 + 1);
    reads.clock = addClock(clusterOf(warp));
  }
  for (uint32_t offset : chunks)
    reads.groups[offset / 16] = uint32_t(groupsCommitted(warp.asyncGroups.wgmma, 0)) + 1;
}

void observeProducts(Warp &warp, uint64_t groups) {
  const std::vector<ProductReads> &reads = warp.cta->shared.productReads;
  const size_t warpgroup = warp.index / 4;
  if (warpgroup >= reads.size() || reads[warpgroup].groups.empty()) return;
  uint32_t &known = orderOf(clusterOf(warp)).learned[numberOf(warp)][reads[warpgroup].clock];
  known = std::max(known, uint32_t(groups));
}

static void requireProductsObserved(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  for (size_t warpgroup = 0; warpgroup < cta.shared.productReads.size(); ++warpgroup) {
    const ProductReads &reads = cta.shared.productReads[warpgroup];
    if (reads.groups.empty()) continue;
    const uint32_t known = learnedBy(warp)[reads.clock];
    for (uint32_t i = offset / 16; i <= (offset + bytes - 1) / 16; ++i)
      if (reads.groups[i] > known)
        report(*gridOf(warp).options, Finding::UnobservedRead, FaultKind::Unfinished,
               "shared " + hexadecimal(i * 16 + kSharedBase) + " of CTA " + std::to_string(cta.rank) +
                   " is to be written, and this warp does not know that the wgmma of warps " +
                   std::to_string(warpgroup * 4) + " to " + std::to_string(warpgroup * 4 + 3) +
                   " has read it: it has not waited for it by wgmma.wait_group, nor learned it from a warp "
                   "that has",
               lane);
  }
}

void requireReadsObserved(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  if (!bytes) return;
  requireProductsObserved(warp, cta, offset, bytes, lane);
  std::vector<uint32_t> &reads = cta.shared.bulkReads;
  if (reads.empty()) return;
  uint32_t before = 0;
  for (uint32_t i = offset / 16; i <= (offset + bytes - 1) / 16; ++i) {
    if (reads[i] == before) continue;
    before = reads[i];
    const BulkReads::Group &group = clusterOf(warp).order.bulkReads.groups[before - 1];
    if (knows(warp, lane, group)) continue;
    const Warp &reader = warpOf(clusterOf(warp), group.warp);
    report(*gridOf(warp).options, Finding::UnobservedRead, FaultKind::Unfinished,
           "shared " + hexadecimal(i * 16 + kSharedBase) + " of CTA " + std::to_string(cta.rank) +
               " is to be written, and this thread does not know that the bulk copy which lane " +
               std::to_string(group.lane) + " of warp " + std::to_string(reader.index) + " of CTA " +
               std::to_string(reader.cta->rank) + " issued has read it: " +
               (group.isObserved ? "that lane has waited for it and not told since"
                                 : "that lane has not waited for it by cp.async.bulk.wait_group"),
           lane);
  }
}

void forgetAsyncReads(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (!bytes) return;
  auto forget = [&](std::vector<uint32_t> &reads) {
    if (!reads.empty()) std::fill(reads.begin() + offset / 16, reads.begin() + (offset + bytes + 15) / 16, 0);
  };
  forget(shared.bulkReads);
  for (ProductReads &reads : shared.productReads)
    forget(reads.groups);
}

} // namespace mxc::sim
