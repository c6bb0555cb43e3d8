#include "runtime/simulator/async/FreshBarriers.h"

#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

void noteInitialized(Warp &warp, uint32_t address) {
  if (!isStrict(warp)) return;
  warp.cta->shared.freshBarriers.push_back({address, warp.index});
  AccessOrder::Mbarrier &order = orderOf(clusterOf(warp)).mbarriers[address];
  order.initializer = numberOf(warp), order.initialized = openAccesses(warp);
}

void publishOwnBarriers(Warp &warp) {
  std::erase_if(warp.cta->shared.freshBarriers,
                [&](const FreshBarrier &barrier) { return barrier.warp == warp.index; });
}

void publishBarriers(Cta &cta) { cta.shared.freshBarriers.clear(); }

void releaseBarriers(Warp &warp) {
  for (FreshBarrier &barrier : warp.cta->shared.freshBarriers)
    barrier.isReleased |= barrier.warp == warp.index;
}

/// Whoever uses a barrier is ordered after its initialization.
static void requireInitialized(Warp &warp, uint32_t address, int lane) {
  const AccessOrder &order = orderOf(clusterOf(warp));
  auto found = order.mbarriers.find(address);
  if (found == order.mbarriers.end() || found->second.initializer == kNone) return;
  const uint32_t initializer = found->second.initializer;
  if (initializer == numberOf(warp) || learnedBy(warp)[initializer] > found->second.initialized) return;
  report(*gridOf(warp).options, Finding::BarrierInitFence, FaultKind::Race,
         "the mbarrier at " + sharedText(address) + " was initialized by warp " +
             std::to_string(initializer % warp.cta->warps.size()) + " with no barrier between the two",
         lane);
}

void requirePublished(Warp &warp, uint32_t address, bool isAsync, int lane) {
  uint32_t rank = address >> kSharedRankShift;
  if (!isStrict(warp) || rank >= clusterOf(warp).ctas.size()) return;
  requireInitialized(warp, address, lane);
  Cta &owner = *clusterOf(warp).ctas[rank];
  if (!isAsync && &owner == warp.cta) return;
  auto fresh = std::ranges::find(owner.shared.freshBarriers, address, &FreshBarrier::address);
  if (fresh == owner.shared.freshBarriers.end() || (!isAsync && fresh->isReleased)) return;
  report(*gridOf(warp).options, Finding::BarrierInitFence, isAsync ? FaultKind::ProxyOrder : FaultKind::Race,
         "the mbarrier at " + sharedText(address) + " was initialized by warp " +
             std::to_string(fresh->warp) + ", which has executed no fence.mbarrier_init" +
             (isAsync ? " (or fence.proxy.async)" : "") + " since",
         lane);
}

} // namespace mxc::sim
