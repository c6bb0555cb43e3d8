#include "runtime/simulator/memory/GlobalOrderState.h"

#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

static constexpr size_t kMostTimes = 4096;

bool isBehind(const Known &known, uint32_t warp, uint32_t given) {
  if (!known) return false;
  if (known->isAll) return true;
  auto found = known->given.find(warp);
  return found != known->given.end() && found->second > given;
}

void add(Known &to, const Known &from) {
  if (!from || to == from) return;
  if (!to) {
    to = from;
    return;
  }
  if (to->isAll) return;
  auto sum = std::make_shared<Times>(*to);
  for (auto [warp, given] : from->given) {
    uint32_t &own = sum->given[warp];
    own = std::max(own, given);
  }
  sum->isAll = from->isAll || sum->given.size() > kMostTimes;
  if (sum->isAll) sum->given.clear();
  to = std::move(sum);
}

std::shared_ptr<GlobalOrder> makeGlobalOrder(const GlobalMemory &memory) {
  return memory.tracksWriters() ? std::make_shared<GlobalOrder>() : nullptr;
}

ClusterGlobalOrder &orderOfCluster(Cluster &cluster) {
  if (!cluster.globalOrder) cluster.globalOrder = std::make_shared<ClusterGlobalOrder>();
  return *cluster.globalOrder;
}

WarpGlobalOrder &orderOfWarp(Warp &warp) {
  if (!warp.globalOrder) warp.globalOrder = std::make_shared<WarpGlobalOrder>();
  return *warp.globalOrder;
}

uint32_t firstWarpOf(const Cluster &cluster) {
  const Grid &grid = *cluster.grid;
  const uint32_t index =
      cluster.position[0] + grid.clusters[0] * (cluster.position[1] + grid.clusters[1] * cluster.position[2]);
  return index * uint32_t(cluster.ctas.size() * cluster.ctas[0]->warps.size());
}

Warp &warpOf(Cluster &cluster, uint32_t inCluster) {
  const uint32_t warps = uint32_t(cluster.ctas[0]->warps.size());
  return cluster.ctas[inCluster / warps]->warps[inCluster % warps];
}

Known knownBy(Warp &warp, uint32_t lanes) {
  WarpGlobalOrder &own = orderOfWarp(warp);
  Known all = own.known;
  for (const auto &[of, known] : own.ofLanes)
    if (of & lanes) add(all, known);
  return all;
}

bool isBehindInCluster(Warp &warp, uint32_t inCluster, uint32_t given) {
  return inCluster == numberOf(warp) || learnedByAll(warp)[inCluster] > given;
}

} // namespace mxc::sim
