// Asynchronous operations: issued now, performed at a moment that the schedule chooses.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace mxc::sim {

struct Cluster;
struct Warp;

/// One bulk copy, cp.async, wgmma, tcgen05 operation.
struct AsyncOperation {
  virtual ~AsyncOperation() = default;
  virtual void perform(Cluster &cluster) = 0; // reads its sources and writes its destinations; then signals
  /// Whether it arrives on or completes transactions of the mbarrier at that shared address.
  virtual bool signals(uint32_t) const { return false; }
  virtual bool signalsCta(uint32_t) const { return false; } // one of that rank's
  /// Whether it, or what it issues when it is performed, is counted by that group.
  virtual bool isOf(const uint32_t *group) const { return pendingOfGroup.get() == group; }
  uint64_t chain = 0; // operations of one chain (not 0) are performed in the order of issue
  uint32_t line = 0;  // of the PTX, for reports
  const Warp *issuer = nullptr;
  std::vector<uint32_t> order; // Checks::Strict: what it tells where it signals, memory/SharedRaces.h; empty:
                               // what its issuer knows
  std::string description;     // "cp.async.bulk of 4096 bytes to shared 0x400"
  std::shared_ptr<uint32_t> pendingOfGroup; // counted down when done; may be null
  size_t timelineNumber = 0;                // of Timeline; 0: none
};

class AsyncQueue {
public:
  /// Performs it at once (eager) or keeps it.
  void issue(Cluster &cluster, std::unique_ptr<AsyncOperation> operation);
  bool isEmpty() const { return pending_.empty(); }
  const std::deque<std::unique_ptr<AsyncOperation>> &pending() const { return pending_; }
  /// Performs one operation that may run now: the oldest, or a random one. False: none is pending.
  bool performOne(Cluster &cluster);
  /// Performs one that a blocked thread waits for, the oldest, or what must come before it. Nobody waits for
  /// one: as performOne. Under a random schedule now and then any.
  bool performAwaited(Cluster &cluster);
  /// Called between instructions: under a random schedule performs an operation now and then. True: it did,
  /// and who waited for it may go on.
  bool tick(Cluster &cluster);

private:
  void perform(Cluster &cluster, size_t chosen);
  std::deque<std::unique_ptr<AsyncOperation>> pending_;
};

/// Groups of a warp's lanes: what commit_group closes and wait_group waits for. A group is a counter of what
/// is pending.
struct AsyncGroups {
  struct Lane {
    std::shared_ptr<uint32_t> open;
    std::deque<std::shared_ptr<uint32_t>> closed; // oldest first
    uint64_t committed = 0;                       // groups that were ever closed
  };
  struct Kind {
    std::vector<Lane> lanes; // 32, made at the first use
  };
  Kind copies, bulk, bulkReads,
      wgmma;         // cp.async; cp.async.bulk; its reads of the source (.read); wgmma (lane 0)
  Kind tensorStores; // tcgen05.st (lane 0)
};

/// The counter of the open group of a lane, made if there is none; its count is raised by one.
std::shared_ptr<uint32_t> joinGroup(AsyncGroups::Kind &kind, int lane);
/// For a lane with very many closed groups what is pending is performed.
void commitGroup(Cluster &cluster, AsyncGroups::Kind &kind, int lane);
/// Whether at most `count` of the lane's latest closed groups are pending.
bool groupsDone(AsyncGroups::Kind &kind, int lane, uint64_t count);
/// Groups that were ever closed, and those of them that are done, one after the other.
uint64_t groupsCommitted(const AsyncGroups::Kind &kind, int lane);
uint64_t groupsCompleted(AsyncGroups::Kind &kind, int lane);

} // namespace mxc::sim
