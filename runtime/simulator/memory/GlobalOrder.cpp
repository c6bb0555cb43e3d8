// Accesses, and the order that they need.
#include "runtime/simulator/memory/GlobalOrderState.h"

#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/RecentAllocation.h"
#include "runtime/simulator/memory/RelaxedMessages.h"
#include "runtime/simulator/memory/SharedRaces.h"

namespace mxc::sim {

namespace {

std::string writerText(const Cluster &cluster, uint32_t number) {
  const Grid &grid = *cluster.grid;
  const uint32_t warps = uint32_t(cluster.ctas[0]->warps.size()), ctas = uint32_t(cluster.ctas.size()),
                 index = number / (warps * ctas);
  return "warp " + std::to_string(number % warps) + " of CTA rank " + std::to_string(number / warps % ctas) +
         " in cluster (" + std::to_string(index % grid.clusters[0]) + ", " +
         std::to_string(index / grid.clusters[0] % grid.clusters[1]) + ", " +
         std::to_string(index / grid.clusters[0] / grid.clusters[1]) + ")";
}

/// Whether an access is ordered after a write in its own cluster. Strong writes give themselves away, and
/// what lanes of one warp load of each other's is not watched.
bool isOrderedInCluster(Warp &warp, uint32_t inCluster, uint32_t given, int writer, After access, int lane) {
  if (!isBehindInCluster(warp, inCluster, given)) return false;
  const bool isOwnWarp = inCluster == numberOf(warp);
  if (isOwnWarp ? access == After::Load || writer == lane : access == After::Store) return true;
  return isBehindLane(warp, warpOf(clusterOf(warp), inCluster), writer, given);
}

} // namespace

bool isOrderedAfter(Warp &warp, uint32_t writer, After access, int lane) {
  Cluster &cluster = clusterOf(warp);
  const Interval &interval = gridOf(warp).globalOrder->intervals[(writer - 1) / kLanes];
  const uint32_t inCluster = interval.warp - firstWarpOf(cluster);
  const bool isOwnCluster = inCluster < cluster.order.isOpen.size();
  const int writingLane = int((writer - 1) % kLanes);
  const uint32_t laneBit = 1u << writingLane;
  const uint32_t given = interval.lateLanes & laneBit ? interval.lateGiven : interval.given;
  const Known known = knownBy(warp, 1u << lane);
  return (isOwnCluster && isOrderedInCluster(warp, inCluster, interval.given, writingLane, access, lane)) ||
         (!(interval.unmetLanes & laneBit) && isBehind(known, interval.warp, given)) ||
         (interval.telling && isBehind(known, ofTelling(interval.warp, writingLane), interval.telling - 1));
}

std::string writtenText(Warp &warp, uint32_t writer, uint64_t address) {
  const Interval &interval = gridOf(warp).globalOrder->intervals[(writer - 1) / kLanes];
  return "global " + hexadecimal(address) + " (" + gridOf(warp).memory->describe(address) + "), which " +
         writerText(clusterOf(warp), interval.warp) + ", lane " + std::to_string((writer - 1) % kLanes) +
         ", wrote";
}

namespace {

/// An access of bytes that one lane wrote. The mutex is held.
void requireOrder(Warp &warp, uint32_t writer, uint64_t address, After access, int lane) {
  Cluster &cluster = clusterOf(warp);
  const Interval &interval = gridOf(warp).globalOrder->intervals[(writer - 1) / kLanes];
  const uint32_t inCluster = interval.warp - firstWarpOf(cluster);
  const bool isOwnCluster = inCluster < cluster.order.isOpen.size();
  if (!isOrderedAfter(warp, writer, access, lane))
    report(*gridOf(warp).options, Finding::GlobalOrder, FaultKind::Race,
           (access == After::AsyncRead ? "the async proxy is to read "
            : access == After::Store   ? "weak store to "
                                       : "read of ") +
               writtenText(warp, writer, address) +
               (isOwnCluster && !isBehindInCluster(warp, inCluster, interval.given)
                    ? " with no barrier, fence or atomic between the two"
                : isOwnCluster && inCluster == numberOf(warp)
                    ? " with no bar.warp.sync or release by that lane since"
                : interval.unmetLanes & 1u << (writer - 1) % kLanes
                    ? " with no release by that lane, or by one that has met it, since"
                    : " with no release after that which this lane, or one that it has met, has acquired"),
           lane);
  if (access != After::AsyncRead || interval.isFenced) return;
  if (isBehind(orderOfCluster(cluster).fenced, interval.warp, interval.given)) return;
  report(*gridOf(warp).options, Finding::GlobalProxyFence, FaultKind::ProxyOrder,
         "the async proxy is to read " + writtenText(warp, writer, address) +
             " through the generic proxy, with no fence.proxy.async of global memory between the two",
         lane);
}

void requireOrder(Warp &warp, uint64_t address, uint32_t bytes, After access, int lane) {
  const uint32_t *writers = gridOf(warp).memory->writers(address);
  uint32_t before = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t found = __atomic_load_n(writers + i, __ATOMIC_RELAXED);
    const bool isStrong = found & kStrong;
    if (found == before || !found || (access == After::Store && !isStrong)) continue;
    before = found;
    const uint32_t writer = found & ~kStrong;
    if (access == After::Load && warp.globalOrder && (writer - 1) / kLanes == warp.globalOrder->weak.number)
      continue;
    std::lock_guard lock(gridOf(warp).globalOrder->mutex);
    if (isStrong && access == After::Load && hasFound(warp, writer, address + i)) continue;
    requireOrder(warp, writer, address + i, access, lane);
  }
}

void noteWriter(Warp &warp, uint64_t address, uint32_t bytes, uint32_t writer) {
  uint32_t *writers = gridOf(warp).memory->writers(address);
  for (uint32_t i = 0; i < bytes; ++i)
    __atomic_store_n(writers + i, writer, __ATOMIC_RELAXED);
}

/// The interval in which the warp writes, as a byte's writer. Strong writes share one up to the next release:
/// there may be many.
uint32_t writerNow(Warp &warp, int lane, bool isStrong) {
  OpenInterval &open = isStrong ? orderOfWarp(warp).strong : orderOfWarp(warp).weak;
  const uint32_t given = openAccesses(warp);
  auto writer = [&] { return (open.number * kLanes + uint32_t(lane) + 1) | (isStrong ? kStrong : 0); };
  if (open.number != kNone && open.given == given && open.lanes >> lane & 1) return writer();
  GlobalOrder &order = *gridOf(warp).globalOrder;
  std::lock_guard lock(order.mutex);
  const bool isOver =
      open.number == kNone || (isStrong ? order.intervals[open.number].isReleased : open.given != given);
  if (isOver) {
    open = {uint32_t(order.intervals.size()), given, 0};
    order.intervals.push_back({firstWarpOf(clusterOf(warp)) + numberOf(warp), given});
    order.intervals.back().isFenced = isStrong; // the async proxy asks for weak writes alone
    orderOfCluster(clusterOf(warp)).intervals.push_back(open.number);
  }
  open.lanes |= 1u << lane;
  order.intervals[open.number].unmetLanes |= 1u << lane;
  return writer();
}

} // namespace

void noteGlobalAccess(Warp &warp, uint64_t address, uint32_t bytes, AccessKind kind, int lane) {
  if (!gridOf(warp).globalOrder) return;
  const bool isWrite = kind == AccessKind::Write || kind == AccessKind::Atomic;
  if (warp.isOrdering || kind == AccessKind::Atomic) { // not weak
    if (isWrite) noteWriter(warp, address, bytes, writerNow(warp, lane, /*isStrong=*/true));
    return;
  }
  if (!isWrite) {
    try {
      requireOrder(warp, address, bytes, After::Load, lane);
    } catch (const FaultError &error) {
      if (kind != AccessKind::Load) throw;
      UnorderedLoads &loads = orderOfWarp(warp).unordered;
      if (!loads.lanes) loads.text = std::make_shared<const std::string>(error.fault.message);
      loads.lanes |= 1u << lane;
    }
    return;
  }
  requireOrder(warp, address, bytes, After::Store, lane);
  noteWriter(warp, address, bytes, writerNow(warp, lane, /*isStrong=*/false));
}

UnorderedLoads takeUnorderedLoads(Warp &warp) {
  return warp.globalOrder ? std::exchange(warp.globalOrder->unordered, {}) : UnorderedLoads{};
}

void requireGlobalOrder(Warp &warp, uint64_t address, uint32_t bytes, int lane) {
  if (!gridOf(warp).globalOrder || !recentAllocation(gridOf(warp), address, bytes)) return;
  requireOrder(warp, address, bytes, After::AsyncRead, lane);
}

void forgetGlobalWrites(const GlobalMemory &memory, uint64_t address, uint32_t bytes) {
  uint32_t *writers = memory.writers(address);
  for (uint32_t i = 0; writers && i < bytes; ++i)
    __atomic_store_n(writers + i, 0u, __ATOMIC_RELAXED);
}

} // namespace mxc::sim
