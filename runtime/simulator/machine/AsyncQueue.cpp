#include "runtime/simulator/machine/AsyncQueue.h"

#include "runtime/simulator/machine/FaultPlace.h"

#include <algorithm>
#include <utility>

namespace mxc::sim {

static Schedule::Kind scheduleOf(const Cluster &cluster) { return cluster.grid->options->schedule.kind; }

std::vector<uint32_t> orderOf(const Warp &warp) {
  const AccessOrder &order = warp.cta->cluster->order;
  const uint32_t own = warp.cta->rank * uint32_t(warp.cta->warps.size()) + warp.index;
  if (order.given.empty()) return {};
  std::vector<uint32_t> told = order.learned[own];
  told[own] = order.given[own];
  return told;
}

/// A fault belongs to the instruction that issued the operation, not to the one that runs at the moment.
static void performNow(Cluster &cluster, AsyncOperation &operation) {
  const std::vector<uint32_t> *before = std::exchange(cluster.order.performing, &operation.order);
  try {
    operation.perform(cluster);
    cluster.order.performing = before;
  } catch (FaultError &error) {
    if (error.fault.line == 0) error.fault.line = operation.line;
    if (operation.issuer) placeFault(error.fault, *operation.issuer);
    if (error.fault.instruction.empty()) error.fault.instruction = operation.description;
    throw;
  }
  if (operation.pendingOfGroup) --*operation.pendingOfGroup;
  if (cluster.timeline) cluster.timeline->complete(operation.timelineNumber);
}

void AsyncQueue::issue(Cluster &cluster, std::unique_ptr<AsyncOperation> operation) {
  if (cluster.timeline)
    operation->timelineNumber = cluster.timeline->issue(operation->issuer ? operation->issuer->cta->rank : 0,
                                                        operation->description, operation->line);
  if (cluster.grid->options->checks == Checks::Strict && operation->issuer && operation->order.empty())
    operation->order = cluster.order.performing ? *cluster.order.performing : orderOf(*operation->issuer);
  if (scheduleOf(cluster) == Schedule::Kind::Eager) return performNow(cluster, *operation);
  // A kernel that issues and never waits takes no more of the host's memory: any moment is a right one.
  constexpr size_t kMostPending = 1 << 16;
  if (pending_.size() >= kMostPending) performOne(cluster);
  pending_.push_back(std::move(operation));
}

bool AsyncQueue::performOne(Cluster &cluster) {
  if (pending_.empty()) return false;
  size_t chosen = 0;
  if (scheduleOf(cluster) == Schedule::Kind::Random) {
    chosen = nextRandom(cluster) % pending_.size();
    // Only the oldest of a chain may run.
    if (uint64_t chain = pending_[chosen]->chain)
      chosen =
          size_t(std::ranges::find(pending_, chain, [](const auto &operation) { return operation->chain; }) -
                 pending_.begin());
  }
  perform(cluster, chosen);
  return true;
}

void AsyncQueue::perform(Cluster &cluster, size_t chosen) {
  // Out of the queue first: performing it may issue another one.
  std::unique_ptr<AsyncOperation> operation = std::move(pending_[chosen]);
  pending_.erase(pending_.begin() + long(chosen));
  performNow(cluster, *operation);
}

static bool isAwaited(const AsyncOperation &operation, const Warp &warp, const Wait &wait) {
  if (wait.kind == Wait::Kind::Mbarrier) return operation.signals(uint32_t(wait.address));
  if (wait.kind != Wait::Kind::Groups || operation.issuer != &warp) return false;
  for (const AsyncGroups::Lane &lane : wait.groups->lanes)
    for (const std::shared_ptr<uint32_t> &group : lane.closed)
      if (group && operation.isOf(group.get())) return true;
  return false;
}

static bool isAwaited(const AsyncOperation &operation, const Cluster &cluster) {
  for (const auto &cta : cluster.ctas)
    for (const Warp &warp : cta->warps)
      for (const WarpSplit &split : warp.splits)
        if (split.isBlocked && isAwaited(operation, warp, split.wait)) return true;
  return false;
}

bool AsyncQueue::performAwaited(Cluster &cluster) {
  if (scheduleOf(cluster) == Schedule::Kind::Random && nextRandom(cluster) % 2) return performOne(cluster);
  auto awaited =
      std::ranges::find_if(pending_, [&](const auto &operation) { return isAwaited(*operation, cluster); });
  if (awaited == pending_.end()) return performOne(cluster);
  // Only the oldest of a chain may run.
  if (uint64_t chain = (*awaited)->chain)
    awaited = std::ranges::find(pending_, chain, [](const auto &operation) { return operation->chain; });
  perform(cluster, size_t(awaited - pending_.begin()));
  return true;
}

bool AsyncQueue::tick(Cluster &cluster) {
  if (pending_.empty() || scheduleOf(cluster) != Schedule::Kind::Random) return false;
  // Strict checks: soon enough for a warp to miss a phase that it waits for; otherwise a copy takes its time.
  uint64_t turns = cluster.grid->options->checks == Checks::Strict ? 16 : 128;
  if (nextRandom(cluster) % turns) return false;
  // Each thread of a cluster may have issued some (st.async): one at a time would take those that wait in
  // loops hundreds of millions of instructions.
  constexpr size_t kShare = 64;
  for (size_t left = 1 + pending_.size() / kShare; left > 0; --left)
    performOne(cluster);
  return true;
}

static AsyncGroups::Lane &laneOf(AsyncGroups::Kind &kind, int lane) {
  if (kind.lanes.empty()) kind.lanes.resize(kLanes);
  return kind.lanes[size_t(lane)];
}

static bool isDone(const std::shared_ptr<uint32_t> &group) { return !group || *group == 0; }

std::shared_ptr<uint32_t> joinGroup(AsyncGroups::Kind &kind, int lane) {
  std::shared_ptr<uint32_t> &open = laneOf(kind, lane).open;
  if (!open) open = std::make_shared<uint32_t>(0);
  ++*open;
  return open;
}

void commitGroup(Cluster &cluster, AsyncGroups::Kind &kind, int lane) {
  AsyncGroups::Lane &groups = laneOf(kind, lane);
  groups.closed.push_back(std::move(groups.open)); // without operations: null. An empty group counts as one
  groups.open = nullptr, ++groups.committed;
  constexpr size_t kMostClosed = 1 << 12; // kernels keep a few
  do {
    while (!groups.closed.empty() && isDone(groups.closed.front()))
      groups.closed.pop_front();
  } while (groups.closed.size() > kMostClosed && cluster.async.performOne(cluster));
}

/// How many closed groups lie after the oldest that is pending, that one included.
static size_t pendingGroups(AsyncGroups::Kind &kind, int lane) {
  if (kind.lanes.empty()) return 0;
  std::deque<std::shared_ptr<uint32_t>> &closed = kind.lanes[size_t(lane)].closed;
  while (!closed.empty() && isDone(closed.front()))
    closed.pop_front();
  return closed.size();
}

bool groupsDone(AsyncGroups::Kind &kind, int lane, uint64_t count) {
  return pendingGroups(kind, lane) <= count;
}

uint64_t groupsCommitted(const AsyncGroups::Kind &kind, int lane) {
  return kind.lanes.empty() ? 0 : kind.lanes[size_t(lane)].committed;
}

uint64_t groupsCompleted(AsyncGroups::Kind &kind, int lane) {
  return groupsCommitted(kind, lane) - pendingGroups(kind, lane);
}

} // namespace mxc::sim
