#include "runtime/simulator/memory/SharedRaces.h"

#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/ReadObservation.h"

#include <algorithm>

namespace mxc::sim {

namespace {

// Who accessed a byte last: the warp's number in the cluster + 1, and how often it had given away its
// accesses.
constexpr uint32_t kEpochBits = 22,
                   kEpochs = 1u << kEpochBits; // 512 warps at most: ReaderSets::kFirst is none

/// All that is known of the order, made at the first use.
AccessOrder &madeOrder(Cluster &cluster) {
  AccessOrder &order = cluster.order;
  if (order.given.empty()) {
    size_t warps = cluster.ctas.size() * cluster.ctas[0]->warps.size();
    order.given.assign(warps, 0);
    order.isOpen.assign(warps, false);
    order.learned.assign(warps, std::vector<uint32_t>(warps, 0));
    order.learnedByAll.resize(warps);
  }
  return order;
}

void forgetAll(Cluster &cluster) {
  for (auto &cta : cluster.ctas)
    forgetAccesses(cta->shared, 0, uint32_t(cta->shared.lastWrite.size())),
        forgetCopies(cta->shared, 0, uint32_t(cta->shared.lastWrite.size())), cta->shared.bulkReads.clear(),
        cta->shared.productReads.clear(),
        std::erase_if(cta->tensor.loads, [](const TensorMemory::Load &load) { return load.isFenced; });
  const std::vector<uint32_t> *performing = cluster.order.performing;
  cluster.order = {};
  cluster.order.performing = performing;
  cluster.barrier.arriving.clear(), cluster.barrier.given.clear();
  for (auto &cta : cluster.ctas) {
    for (NamedBarrier &barrier : cta->barriers)
      barrier.arriving.clear(), barrier.given.clear();
    for (Warp &warp : cta->warps)
      warp.meetings = {}, warp.isToldApart = false;
  }
}

void raise(std::vector<uint32_t> &learned, const std::vector<uint32_t> &given) {
  for (size_t i = 0; i < std::min(given.size(), learned.size()); ++i) // less: all is forgotten since
    learned[i] = std::max(learned[i], given[i]);
}

std::string warpText(const Warp &warp, uint32_t number) {
  uint32_t warps = uint32_t(warp.cta->warps.size());
  return "warp " + std::to_string(number % warps) + " of CTA rank " + std::to_string(number / warps);
}

} // namespace

uint32_t numberOf(const Warp &warp) { return warp.cta->rank * uint32_t(warp.cta->warps.size()) + warp.index; }

AccessOrder &orderOf(Cluster &cluster) { return madeOrder(cluster); }

uint32_t addClock(Cluster &cluster) {
  AccessOrder &order = orderOf(cluster);
  order.given.push_back(0);
  for (std::vector<uint32_t> &learned : order.learned)
    learned.push_back(0);
  return uint32_t(order.given.size() - 1);
}

void giveAway(Warp &warp, Giving giving) {
  AccessOrder &order = orderOf(clusterOf(warp));
  uint32_t own = numberOf(warp);
  for (size_t i = order.isOpen.size(); i < order.given.size(); ++i) // of clocks
    order.given[i] = std::max(order.given[i], order.learned[own][i]);
  // Lanes that come after what is told have a time of their own, which who was told does not know.
  if (!order.isOpen[own] && !(giving == Giving::Lanes && warp.isToldApart)) return;
  if (giving != Giving::ToLanes) warp.isToldApart = giving == Giving::Apart || warp.mask != warp.liveLanes();
  endTime(warp);
}

void endTime(Warp &warp) {
  AccessOrder &order = orderOf(clusterOf(warp));
  const uint32_t own = numberOf(warp);
  order.isOpen[own] = false;
  if (++order.given[own] == kEpochs - 1) forgetAll(clusterOf(warp));
}

void learn(Warp &warp) { learn(warp, orderOf(clusterOf(warp)).given); }

void learn(Warp &warp, const std::vector<uint32_t> &given) {
  AccessOrder &order = orderOf(clusterOf(warp));
  raise(order.learned[numberOf(warp)], given);
  raise(order.learnedByAll[numberOf(warp)], given);
}

void learnByLanes(Warp &warp, const std::vector<uint32_t> &given) {
  AccessOrder &order = orderOf(clusterOf(warp));
  std::vector<uint32_t> &learned = order.learned[numberOf(warp)], &byAll = order.learnedByAll[numberOf(warp)];
  if (byAll.empty()) byAll = learned;
  raise(learned, given);
}

const std::vector<uint32_t> &learnedByAll(Warp &warp) {
  AccessOrder &order = orderOf(clusterOf(warp));
  const std::vector<uint32_t> &byAll = order.learnedByAll[numberOf(warp)];
  return byAll.empty() ? order.learned[numberOf(warp)] : byAll;
}

void meetInOrder(Warp &warp) {
  AccessOrder &order = clusterOf(warp).order;
  if (!order.learnedByAll.empty()) order.learnedByAll[numberOf(warp)].clear();
}

void addOrder(std::vector<uint32_t> &to, const std::vector<uint32_t> &order) {
  to.resize(std::max(to.size(), order.size()));
  for (size_t i = 0; i < order.size(); ++i)
    to[i] = std::max(to[i], order[i]);
}

void arriveInOrder(Cluster &cluster, uint32_t mbarrier, const std::vector<uint32_t> &order) {
  addOrder(orderOf(cluster).mbarriers[mbarrier].arriving, order);
}

void arriveAsynchronously(Cluster &cluster, uint32_t mbarrier, const AsyncOperation &operation) {
  arriveInOrder(cluster, mbarrier, operation.order);
  AccessOrder::Mbarrier &known = cluster.order.mbarriers[mbarrier];
  known.line = operation.line;
  if (known.clock == kNone) known.clock = addClock(cluster);
  known.awaited = known.ended + 1;
}

void endPhaseInOrder(Cluster &cluster, uint32_t mbarrier) {
  auto found = cluster.order.mbarriers.find(mbarrier);
  if (found == cluster.order.mbarriers.end()) return;
  AccessOrder::Mbarrier &known = found->second;
  if (known.clock != kNone) {
    known.arriving.resize(std::max(known.arriving.size(), size_t(known.clock) + 1));
    known.arriving[known.clock] = ++known.ended;
  }
  known.given = known.arriving;
}

void learnPhase(Warp &warp, uint32_t mbarrier) {
  AccessOrder &order = orderOf(clusterOf(warp));
  auto found = order.mbarriers.find(mbarrier);
  if (found != order.mbarriers.end()) learn(warp, found->second.given);
}

void noteRemoteArrival(Warp &warp, uint32_t rank) {
  openAccesses(warp), giveAway(warp, Giving::Lanes);
  AccessOrder &order = orderOf(clusterOf(warp));
  order.remoteUses[rank][numberOf(warp)] = {order.given[numberOf(warp)], true};
}

std::optional<RemoteUser> unknownRemoteUse(Cta &cta) {
  const AccessOrder &order = cta.cluster->order;
  auto found = order.remoteUses.find(cta.rank);
  if (found == order.remoteUses.end()) return std::nullopt;
  for (auto [number, use] : found->second)
    if (std::ranges::none_of(cta.warps, [&, number = number, use = use](const Warp &warp) {
          return order.learned[numberOf(warp)][number] >= use.given;
        }))
      return RemoteUser{&cta.cluster->ctas[number / cta.warps.size()]->warps[number % cta.warps.size()],
                        use.isArrival};
  return std::nullopt;
}

std::optional<uint32_t> unknownPhase(Cta &cta) {
  const AccessOrder &order = cta.cluster->order;
  for (const auto &[address, known] : order.mbarriers)
    if (address >> kSharedRankShift == cta.rank && known.clock != kNone &&
        std::ranges::none_of(cta.warps, [&](const Warp &warp) {
          return order.learned[numberOf(warp)][known.clock] >= known.awaited;
        }))
      return address;
  return std::nullopt;
}

uint32_t openAccesses(Warp &warp) {
  AccessOrder &order = orderOf(clusterOf(warp));
  const uint32_t own = numberOf(warp);
  order.isOpen[own] = true;
  return order.given[own];
}

const std::vector<uint32_t> &learnedBy(Warp &warp) {
  return orderOf(clusterOf(warp)).learned[numberOf(warp)];
}

namespace {

/// What one access needs to know of the others.
struct Accessor {
  AccessOrder &order;
  uint32_t own, stamp;
  const std::vector<uint32_t> &learned;

  bool isUnordered(uint32_t other) const { // with this access
    uint32_t number = (other >> kEpochBits) - 1;
    return other && number != own && learned[number] <= (other & (kEpochs - 1));
  }
  /// A reader that this access is not ordered with; 0: none.
  uint32_t unorderedReader(uint32_t read) const {
    if (!ReaderSets::isSet(read)) return isUnordered(read) ? read : 0;
    for (uint32_t reader : order.readers.of(read))
      if (isUnordered(reader)) return reader;
    return 0;
  }
  /// Those that a write must be ordered with, after this read: who is ordered before it needs no mention.
  uint32_t withOwnRead(uint32_t read) const {
    ReaderSets::Readers readers{stamp};
    auto add = [&](uint32_t reader) {
      if (isUnordered(reader)) readers.push_back(reader);
    };
    if (ReaderSets::isSet(read))
      std::ranges::for_each(order.readers.of(read), add);
    else
      add(read);
    if (readers.size() == 1) return stamp;
    std::ranges::sort(readers);
    return order.readers.numberOf(std::move(readers));
  }
};

/// Sets that no byte has any more make room.
void dropReaderSets(Cluster &cluster) {
  constexpr size_t kMany = 1 << 16;
  AccessOrder &order = cluster.order;
  if (order.readers.count() < kMany) return;
  ReaderSets kept;
  for (auto &cta : cluster.ctas)
    for (uint32_t &read : cta->shared.lastRead)
      if (ReaderSets::isSet(read)) read = kept.numberOf(order.readers.of(read));
  order.readers = std::move(kept);
  if (order.readers.count() > kMany / 2) forgetAll(cluster); // some races will stay unseen
}

} // namespace

void noteAccess(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, bool isWrite, int lane) {
  SharedMemory &shared = cta.shared;
  if (shared.lastWrite.empty() || warp.isOrdering) return;
  requireObserved(warp, cta, offset, bytes, lane);
  if (isWrite)
    requireReadsObserved(warp, cta, offset, bytes, lane), forgetCopies(shared, offset, bytes);
  else
    noteResponseRead(shared, offset, bytes);
  dropReaderSets(clusterOf(warp));
  AccessOrder &order = orderOf(clusterOf(warp));
  const uint32_t own = numberOf(warp);
  const Accessor access{order, own, (own + 1) << kEpochBits | order.given[own], order.learned[own]};
  order.isOpen[own] = true;
  if (&cta != warp.cta) order.remoteUses[cta.rank][own] = {order.given[own] + 1, false};
  if (isWrite)
    requireReadsMetByWrite(warp, cta, offset, bytes, lane), forgetLaneReads(shared, offset, bytes);
  else
    noteLaneRead(warp, shared, offset, bytes, lane);
  // For the byte before, as its neighbours mostly have the same: its readers without and with this one, and a
  // write that this access is ordered after.
  uint32_t before = 0, after = access.stamp, ordered = 0;
  uint8_t orderedLane = 0;
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    uint32_t &write = shared.lastWrite[i], &read = shared.lastRead[i];
    const bool isAfterWrite = write != ordered && access.isUnordered(write);
    if (!isAfterWrite && write && (write != ordered || shared.lastLane[i] != orderedLane))
      requireLaneMet(warp, cta, i, isWrite, lane);
    ordered = write, orderedLane = shared.lastLane[i];
    const uint32_t other = isAfterWrite ? write : isWrite ? access.unorderedReader(read) : 0;
    if (other)
      report(*gridOf(warp).options, Finding::SharedRace, FaultKind::Race,
             std::string(isWrite ? "write" : "read") + " of shared memory of CTA rank " +
                 std::to_string(cta.rank) + " at offset " + std::to_string(i + kSharedBase) + ", which " +
                 warpText(warp, (other >> kEpochBits) - 1) + (isAfterWrite ? " wrote" : " read") +
                 " with no barrier, fence or atomic between the two",
             lane);
    if (isWrite) {
      write = access.stamp, read = 0; // it is ordered after all reads
      shared.lastLane[i] = uint8_t(lane);
    } else if (read != access.stamp) {
      if (read != before || i == offset) before = read, after = access.withOwnRead(read);
      read = after;
    }
  }
}

void requireReadsOrdered(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  if (cta.shared.lastRead.empty()) return;
  AccessOrder &order = orderOf(clusterOf(warp));
  const uint32_t own = numberOf(warp);
  const Accessor access{order, own, 0, order.learned[own]};
  uint32_t before = 0;
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    const uint32_t read = cta.shared.lastRead[i];
    if (read == before) continue;
    before = read;
    if (const uint32_t other = access.unorderedReader(read))
      report(*gridOf(warp).options, Finding::SharedRace, FaultKind::Race,
             "the async proxy is to write shared memory of CTA rank " + std::to_string(cta.rank) +
                 " at offset " + std::to_string(i + kSharedBase) + ", which " +
                 warpText(warp, (other >> kEpochBits) - 1) +
                 " read with no barrier, fence or atomic between the two",
             lane);
  }
}

uint32_t accessesGiven(Warp &warp) {
  const AccessOrder &order = clusterOf(warp).order;
  return order.given.empty() ? 0 : order.given[numberOf(warp)];
}

std::optional<LastWrite> lastWriteOf(Cluster &cluster, const SharedMemory &shared, uint32_t offset) {
  const uint32_t stamp = shared.lastWrite[offset];
  if (!stamp) return std::nullopt;
  const uint32_t number = (stamp >> kEpochBits) - 1, warps = uint32_t(cluster.ctas[0]->warps.size());
  return LastWrite{&cluster.ctas[number / warps]->warps[number % warps], shared.lastLane[offset],
                   stamp & (kEpochs - 1)};
}

bool isBehindWrite(Warp &warp, const SharedMemory &shared, uint32_t offset) {
  if (shared.lastWrite.empty() || !shared.lastWrite[offset]) return true;
  const uint32_t stamp = shared.lastWrite[offset], number = (stamp >> kEpochBits) - 1;
  return number == numberOf(warp) || learnedBy(warp)[number] > (stamp & (kEpochs - 1));
}

void forgetAccesses(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (shared.lastWrite.empty()) return;
  std::fill_n(shared.lastWrite.begin() + offset, bytes, 0);
  std::fill_n(shared.lastRead.begin() + offset, bytes, 0);
  forgetLaneReads(shared, offset, bytes);
}

} // namespace mxc::sim
