// What GlobalOrder.h keeps: of the grid, of a cluster and of a warp. Its sources alone include this.
#pragma once

#include "runtime/simulator/memory/GlobalOrder.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace mxc::sim {

/// How often each warp of the grid, by its number, had given away its accesses: a warp that knows this is
/// after all that those did before. Null: of none.
struct Times {
  std::unordered_map<uint32_t, uint32_t> given;
  bool isAll = false; // too many to keep: nothing is asked of who knows these
};
using Known = std::shared_ptr<const Times>;

bool isBehind(const Known &known, uint32_t warp, uint32_t given);
void add(Known &to, const Known &from);

/// What a warp wrote between two times that it gave its accesses away.
struct Interval {
  uint32_t warp = 0, given = 0; // in the grid
  uint32_t unmetLanes = 0;      // no release has stood for them
  bool isReleased = false;      // some release has been executed by who is ordered after it
  uint32_t lateLanes = 0;       // no such release but a later one: who knows of ..
  uint32_t lateGiven = 0;       // .. this is ordered after them
  bool isFenced = false;        // by a proxy fence in the writer's cluster
  uint32_t telling = 0;         // of strong writes, the last of which told of itself: ofTelling
};

/// In Times beside the grid's warps: how many strong writes of that lane that told of themselves are known.
constexpr uint32_t ofTelling(uint32_t warp, int lane) { return 1u << 31 | (warp * kLanes + uint32_t(lane)); }

/// Marks a byte's writer: an atomic or other strong write, which only weak stores must be ordered after.
constexpr uint32_t kStrong = 1u << 31;

/// RelaxedMessages.h: the last strong write of a thread to a place.
struct StrongWrite {
  uint32_t writer = 0;                                  // as a byte's, without kStrong
  uint64_t time = 0;                                    // of the grid's strong accesses
  bool isAddition = false;                              // that nobody has taken away
  std::shared_ptr<const std::vector<uint32_t>> learned; // of its cluster by the writing warp
};
/// .. and a warp's last strong read of one.
struct StrongRead {
  uint64_t time = 0;
  uint32_t given = 0; // accessesGiven
};
struct RelaxedMessages {
  using ByThread = std::unordered_map<uint32_t, StrongWrite>; // 32 * the warp's number in the grid + lane
  std::unordered_map<uint64_t, ByThread> places;
  uint64_t time = 0;
  size_t kept = 0; // strong writes
};

struct GlobalOrder {
  std::mutex strongAccesses;                  // holdStrongAccesses; taken before the other
  std::mutex mutex;                           // of all here
  std::vector<Interval> intervals;            // a byte's writer is 32 * its number + lane + 1, and kStrong
  std::unordered_map<uint64_t, Known> places; // what releases there tell
  RelaxedMessages messages;
};

struct ClusterGlobalOrder {
  std::vector<uint32_t> intervals;      // of its warps, without a proxy fence or with unmet lanes
  std::map<uint32_t, Known> mbarriers;  // by arrivals at that shared address
  Known given;                          // by some warp to the others
  Known fenced;                         // to the async proxy
  Known releasedByFences, readStrongly; // what the next strong write releases, the next fence acquires
  bool hasOtherOrder = false;           // than that of releases and acquires at gpu or sys scope
};

/// Where a warp writes now, and lanes that have.
struct OpenInterval {
  uint32_t number = kNone, given = 0, lanes = 0;
};

struct WarpGlobalOrder {
  OpenInterval weak, strong;
  uint32_t tellings = 0;                           // strong writes that told of themselves
  Known known;                                     // of other clusters
  std::vector<std::pair<uint32_t, Known>> ofLanes; // .. what these lanes have acquired, and no other has met
  Known givenLast;
  std::vector<uint64_t> places; // of the instruction that executes
  UnorderedLoads unordered;     // likewise
  std::unordered_map<uint64_t, StrongRead> reads;
  std::shared_ptr<const std::vector<uint32_t>> learned; // as its last StrongWrite has it
};

ClusterGlobalOrder &orderOfCluster(Cluster &cluster);
WarpGlobalOrder &orderOfWarp(Warp &warp);

/// The first of a cluster's warps, which follow each other in the grid.
uint32_t firstWarpOf(const Cluster &cluster);
Warp &warpOf(Cluster &cluster, uint32_t inCluster);

/// What those lanes of the warp know of other clusters.
Known knownBy(Warp &warp, uint32_t lanes);
/// Whether `warp` is ordered after what another one of its cluster did.
bool isBehindInCluster(Warp &warp, uint32_t inCluster, uint32_t given);

enum class After : uint8_t { Load, AsyncRead, Store };
/// Whether an access by the lane is ordered after what a byte's writer (without kStrong) wrote. The mutex is
/// held, here and below.
bool isOrderedAfter(Warp &warp, uint32_t writer, After access, int lane);
/// "global 0x700 (..), which warp 1 of .., lane 0, wrote"
std::string writtenText(Warp &warp, uint32_t writer, uint64_t address);

} // namespace mxc::sim
