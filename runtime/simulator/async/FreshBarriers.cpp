#include "runtime/simulator/async/FreshBarriers.h"

#include "runtime/simulator/async/PendingBytes.h"

#include <algorithm>

namespace mxc::sim {

void noteInitialized(Warp &warp, uint32_t address) {
  if (isStrict(warp)) warp.cta->shared.freshBarriers.push_back({address, warp.index});
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

void requirePublished(Warp &warp, uint32_t address, bool isAsync, int lane) {
  uint32_t rank = address >> kSharedRankShift;
  if (!isStrict(warp) || rank >= clusterOf(warp).ctas.size()) return;
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
