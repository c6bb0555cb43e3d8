#include "runtime/simulator/memory/ReadObservation.h"

#include "runtime/simulator/memory/LaneMeetings.h"
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
  return isBehindLane(warp, warpOf(clusterOf(warp), group.warp), group.lane, group.given);
}

/// The line of what the warp executes.
uint32_t lineOf(Warp &warp) { return gridOf(warp).program->instructions[warp.split().pc].source->place.line; }

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
    reads.groups.push_back({number, lane, group, false, 0, lineOf(warp)});
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

const BulkReads::Group *unobservedReads(const Cta &cta) {
  const BulkReads &reads = cta.cluster->order.bulkReads;
  for (uint32_t index : reads.unobserved)
    if (reads.groups[index].warp / cta.warps.size() == cta.rank) return &reads.groups[index];
  return nullptr;
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

static AccessOrder::TensorReads &tensorReadsOf(Cluster &cluster, const Cta &leader) {
  auto [reads, isNew] = orderOf(cluster).tensorReads.try_emplace(leader.rank);
  if (isNew) reads->second.clock = addClock(cluster);
  return reads->second;
}

void noteTensorRead(Cluster &cluster, const Cta &leader, Cta &cta, uint32_t offset) {
  SharedMemory &shared = cta.shared;
  if (shared.lastWrite.empty()) return;
  const AccessOrder::TensorReads &tensor = tensorReadsOf(cluster, leader);
  if (shared.productReads.size() <= leader.rank) shared.productReads.resize(leader.rank + 1);
  ProductReads &reads = shared.productReads[leader.rank];
  if (reads.groups.empty()) reads.groups.resize(shared.bytes.size() / 16 + 1);
  reads.clock = tensor.clock;
  reads.groups[offset / 16] = tensor.commits + 1;
}

void addTensorReads(Warp &warp, const Cta &leader, std::vector<uint32_t> &order) {
  AccessOrder::TensorReads &tensor = tensorReadsOf(clusterOf(warp), leader);
  order.resize(std::max(order.size(), size_t(tensor.clock) + 1));
  order[tensor.clock] = ++tensor.commits;
}

/// Who reads, and how it is known that they have.
static std::pair<std::string, const char *> readersText(const Cluster &cluster, size_t number) {
  if (cluster.order.tensorReads.empty())
    return {"the wgmma of warps " + std::to_string(number * 4) + " to " + std::to_string(number * 4 + 3),
            "waited for it by wgmma.wait_group"};
  return {"a tcgen05 operation of CTA " + std::to_string(number),
          "seen the phase end to which a tcgen05.commit after it belongs"};
}

static void requireProductsObserved(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  for (size_t number = 0; number < cta.shared.productReads.size(); ++number) {
    const ProductReads &reads = cta.shared.productReads[number];
    if (reads.groups.empty()) continue;
    const uint32_t known = learnedBy(warp)[reads.clock];
    for (uint32_t i = offset / 16; i <= (offset + bytes - 1) / 16; ++i)
      if (reads.groups[i] > known) {
        const auto [readers, wait] = readersText(clusterOf(warp), number);
        report(*gridOf(warp).options, Finding::UnobservedRead, FaultKind::Unfinished,
               "shared " + hexadecimal(i * 16 + kSharedBase) + " of CTA " + std::to_string(cta.rank) +
                   " is to be written, and this warp does not know that " + readers +
                   " has read it: it has not " + wait + ", nor learned it from a warp that has",
               lane);
      }
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
