#include "runtime/simulator/memory/LaneMeetings.h"

#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

void noteMeeting(Warp &warp, const Instruction &instruction) {
  const bool isTogether = isWhole(instruction.order) || warp.mask == warp.liveLanes();
  for (uint32_t lanes = isTogether ? ~0u : warp.mask; lanes; lanes &= lanes - 1)
    warp.laneGiven[size_t(__builtin_ctz(lanes))] = accessesGiven(warp);
  std::vector<TensorMemory::Load> &loads = warp.cta->tensor.loads;
  for (TensorMemory::Load &load : loads)
    if (load.isFenced && load.warp == warp.index) load.unmet &= isTogether ? 0 : ~warp.mask;
  std::erase_if(loads, [](const TensorMemory::Load &load) { return load.isFenced && !load.unmet; });
}

void requireLanesMet(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    std::optional<LastWrite> write = lastWriteOf(clusterOf(warp), cta.shared, i);
    if (!write || write->warp->laneGiven[size_t(write->lane)] > write->given) continue;
    if (write->warp == &warp && write->lane == lane) continue;
    report(*gridOf(warp).options, Finding::UnmetLanes, FaultKind::Race,
           "the async proxy is to read shared memory of CTA rank " + std::to_string(cta.rank) +
               " at offset " + std::to_string(i + kSharedBase) + " for this lane, where lane " +
               std::to_string(write->lane) + " of warp " + std::to_string(write->warp->index) +
               " wrote, with no bar.warp.sync or arrival by that lane since",
           lane);
  }
}

} // namespace mxc::sim
