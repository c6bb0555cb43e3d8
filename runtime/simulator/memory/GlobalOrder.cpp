#include "runtime/simulator/memory/GlobalOrder.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/RecentAllocation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace mxc::sim {

namespace {

/// How often each warp of the grid, by its number, had given away its accesses: a warp that knows this is
/// behind all that those did before. Null: of none.
struct Times {
  std::unordered_map<uint32_t, uint32_t> given;
  bool isAll = false; // too many to keep: nothing is asked of who knows these
};
using Known = std::shared_ptr<const Times>;
constexpr size_t kMostTimes = 4096;

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

/// What a warp wrote between two times that it gave its accesses away.
struct Interval {
  uint32_t warp = 0, given = 0; // in the grid
  uint32_t unmetLanes = 0;      // no release has stood for them
  bool isReleased = false;      // some release has been executed by who is behind it
  uint32_t lateLanes = 0;       // no such release but a later one: who knows of ..
  uint32_t lateGiven = 0;       // .. this is behind them
  bool isFenced = false;        // by a proxy fence in the writer's cluster
};

} // namespace

/// Of a byte's writer: an atomic or other strong write, which only weak stores must be ordered after.
static constexpr uint32_t kStrong = 1u << 31;

struct GlobalOrder {
  std::mutex strongAccesses;                  // holdStrongAccesses; taken before the other
  std::mutex mutex;                           // of all here
  std::vector<Interval> intervals;            // a byte's writer is 32 * its number + lane + 1, and kStrong
  std::unordered_map<uint64_t, Known> places; // what releases there tell
};

struct ClusterGlobalOrder {
  std::vector<uint32_t> intervals;      // of its warps, without a proxy fence or with unmet lanes
  std::map<uint32_t, Known> mbarriers;  // by arrivals at that shared address
  Known given;                          // by some warp to the others
  Known fenced;                         // to the async proxy
  Known releasedByFences, readStrongly; // what the next strong write releases, the next fence acquires
};

/// Where a warp writes now, and lanes that have.
struct OpenInterval {
  uint32_t number = kNone, given = 0, lanes = 0;
};

struct WarpGlobalOrder {
  OpenInterval weak, strong;
  Known known;                                     // of other clusters
  std::vector<std::pair<uint32_t, Known>> ofLanes; // .. what these lanes have acquired, and no other has met
  Known givenLast;
  std::vector<uint64_t> places; // of the instruction that executes
  UnorderedLoads unordered;     // likewise
};

namespace {

ClusterGlobalOrder &orderOfCluster(Cluster &cluster) {
  if (!cluster.globalOrder) cluster.globalOrder = std::make_shared<ClusterGlobalOrder>();
  return *cluster.globalOrder;
}

WarpGlobalOrder &orderOfWarp(Warp &warp) {
  if (!warp.globalOrder) warp.globalOrder = std::make_shared<WarpGlobalOrder>();
  return *warp.globalOrder;
}

/// Warps of a cluster follow each other.
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

/// What those lanes of the warp know of other clusters.
Known knownBy(Warp &warp, uint32_t lanes) {
  WarpGlobalOrder &own = orderOfWarp(warp);
  Known all = own.known;
  for (const auto &[of, known] : own.ofLanes)
    if (of & lanes) add(all, known);
  return all;
}

/// Lanes have acquired that.
void acquire(Warp &warp, uint32_t lanes, const Known &known) {
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (lanes == warp.liveLanes()) return add(own.known, known);
  auto same = std::ranges::find(own.ofLanes, lanes, [](const auto &of) { return of.first; });
  if (same == own.ofLanes.end())
    own.ofLanes.emplace_back(lanes, known);
  else
    add(same->second, known);
}

/// Whether `warp` is behind what another one of its cluster did.
bool isBehindInCluster(Warp &warp, uint32_t inCluster, uint32_t given) {
  return inCluster == numberOf(warp) || learnedBy(warp)[inCluster] > given;
}

/// All that a warp is behind, itself included.
Known allKnown(Warp &warp) {
  Cluster &cluster = clusterOf(warp);
  auto own = std::make_shared<Times>();
  const std::vector<uint32_t> &learned = learnedBy(warp);
  const uint32_t first = firstWarpOf(cluster), warps = uint32_t(cluster.order.isOpen.size());
  for (uint32_t i = 0; i < warps; ++i)
    if (learned[i]) own->given[first + i] = learned[i];
  own->given[first + numberOf(warp)] = openAccesses(warp);
  Known all = std::move(own);
  add(all, knownBy(warp, warp.mask));
  return all;
}

/// Lanes of an interval for which a release by the executing lanes stands.
uint32_t metLanes(Warp &warp, Warp &writer, const Interval &interval) {
  uint32_t met = &writer == &warp ? warp.mask : 0;
  for (int lane = 0; lane < kLanes; ++lane)
    if (writer.laneGiven[size_t(lane)] > interval.given) met |= 1u << lane;
  return met;
}

/// f(interval, its writer) for those of the cluster that the warp is behind.
template <class F> void forKnownIntervals(Warp &warp, F f) {
  Cluster &cluster = clusterOf(warp);
  GlobalOrder &order = *gridOf(warp).globalOrder;
  std::erase_if(orderOfCluster(cluster).intervals, [&](uint32_t number) {
    Interval &interval = order.intervals[number];
    const uint32_t inCluster = interval.warp - firstWarpOf(cluster);
    if (isBehindInCluster(warp, inCluster, interval.given)) f(interval, warpOf(cluster, inCluster));
    return interval.isFenced && !interval.unmetLanes;
  });
}

void release(Warp &warp) {
  forKnownIntervals(warp, [&](Interval &interval, Warp &writer) {
    const uint32_t met = interval.unmetLanes & metLanes(warp, writer, interval);
    interval.unmetLanes &= ~met;
    if (met && interval.isReleased) {
      interval.lateLanes |= met;
      interval.lateGiven = &writer == &warp ? openAccesses(warp) - 1 : learnedBy(warp)[numberOf(writer)] - 1;
    }
    interval.isReleased = true;
  });
}

bool isGlobal(const Instruction &i, uint64_t address) {
  return i.source->has("global") || spaceOf(address) == ptx::Space::Global;
}

std::string writerText(const Cluster &cluster, uint32_t number) {
  const Grid &grid = *cluster.grid;
  const uint32_t warps = uint32_t(cluster.ctas[0]->warps.size()), ctas = uint32_t(cluster.ctas.size()),
                 index = number / (warps * ctas);
  return "warp " + std::to_string(number % warps) + " of CTA rank " + std::to_string(number / warps % ctas) +
         " in cluster (" + std::to_string(index % grid.clusters[0]) + ", " +
         std::to_string(index / grid.clusters[0] % grid.clusters[1]) + ", " +
         std::to_string(index / grid.clusters[0] / grid.clusters[1]) + ")";
}

enum class After : uint8_t { Load, AsyncRead, Store };

/// An access of bytes that one lane wrote. The mutex is held.
void requireOrder(Warp &warp, uint32_t writer, uint64_t address, After access, int lane) {
  Cluster &cluster = clusterOf(warp);
  const Interval &interval = gridOf(warp).globalOrder->intervals[(writer - 1) / kLanes];
  const uint32_t inCluster = interval.warp - firstWarpOf(cluster);
  const bool isOwnCluster = inCluster < cluster.order.isOpen.size();
  const uint32_t laneBit = 1u << (writer - 1) % kLanes;
  const bool isUnmet = interval.unmetLanes & laneBit;
  const uint32_t given = interval.lateLanes & laneBit ? interval.lateGiven : interval.given;
  const bool isOrdered = (isOwnCluster && isBehindInCluster(warp, inCluster, interval.given)) ||
                         (!isUnmet && isBehind(knownBy(warp, 1u << lane), interval.warp, given));
  auto text = [&] {
    return "global " + hexadecimal(address) + " (" + gridOf(warp).memory->describe(address) + "), which " +
           writerText(cluster, interval.warp) + ", lane " + std::to_string((writer - 1) % kLanes) + ", wrote";
  };
  if (!isOrdered)
    report(*gridOf(warp).options, Finding::GlobalOrder, FaultKind::Race,
           (access == After::AsyncRead ? "the async proxy is to read "
            : access == After::Store   ? "weak store to "
                                       : "read of ") +
               text() +
               (isOwnCluster ? " with no barrier, fence or atomic between the two"
                : isUnmet
                    ? " with no release by that lane, or by one that has met it, since"
                    : " with no release behind that which this lane, or one that it has met, has acquired"),
           lane);
  if (access != After::AsyncRead || interval.isFenced) return;
  if (isBehind(orderOfCluster(cluster).fenced, interval.warp, interval.given)) return;
  report(*gridOf(warp).options, Finding::GlobalProxyFence, FaultKind::ProxyOrder,
         "the async proxy is to read " + text() +
             " through the generic proxy, with no fence.proxy.async of global memory between the two",
         lane);
}

void requireOrder(Warp &warp, uint64_t address, uint32_t bytes, After access, int lane) {
  const uint32_t *writers = gridOf(warp).memory->writers(address);
  uint32_t before = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t found = __atomic_load_n(writers + i, __ATOMIC_RELAXED);
    if (found == before || !found || bool(found & kStrong) != (access == After::Store)) continue;
    before = found;
    const uint32_t writer = found & ~kStrong;
    if (access == After::Load && warp.globalOrder && (writer - 1) / kLanes == warp.globalOrder->weak.number)
      continue;
    std::lock_guard lock(gridOf(warp).globalOrder->mutex);
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

uint8_t globalEffect(const ptx::Instruction &instruction) {
  const std::string &opcode = instruction.opcode;
  auto has = [&](const char *word) { return instruction.has(word); };
  if (opcode == "bar" || opcode == "barrier") return 0; // giveGlobal, learnGlobal
  if (opcode == "mbarrier") return kMeetsAtMbarrier;
  if (opcode == "membar" && !has("proxy")) return has("cta") ? 0 : kFences;
  if (opcode == "fence" || opcode == "membar") {
    if (has("proxy")) {
      const bool isShared = has("shared::cta") || has("shared::cluster") || has("shared");
      return has("async") && !isShared ? kFencesProxy : 0;
    }
    return has("mbarrier_init") || has("cta") || has("cluster") ? 0 : kFences;
  }
  if (has("async") || has("bulk") || has("shared") || has("shared::cta") || has("shared::cluster")) return 0;
  const bool isAtomic = opcode == "atom" || opcode == "red";
  if (!isAtomic && opcode != "ld" && opcode != "st") return 0;
  uint8_t effect = opcode == "atom"  ? kReadsStrongly | kWritesStrongly
                   : opcode == "red" ? kWritesStrongly
                                     : 0;
  if (has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio"))
    effect |= opcode == "ld" ? kReadsStrongly : opcode == "st" ? kWritesStrongly : 0;
  if (has("cta") || has("cluster")) return 0; // no order beyond the cluster
  if (has("acquire") || has("acq_rel")) effect |= kAcquires;
  if (has("release") || has("acq_rel")) effect |= kReleases;
  if (has("relaxed") && has("global")) effect |= kOrdersNothing;
  return effect;
}

std::shared_ptr<GlobalOrder> makeGlobalOrder(const GlobalMemory &memory) {
  return memory.tracksWriters() ? std::make_shared<GlobalOrder>() : nullptr;
}

std::unique_lock<std::mutex> holdStrongAccesses(Warp &warp, const Instruction &i) {
  if (!gridOf(warp).globalOrder || !(i.globalEffect & (kReadsStrongly | kWritesStrongly))) return {};
  return std::unique_lock(gridOf(warp).globalOrder->strongAccesses);
}

void beginGlobalEffect(Warp &warp, const Instruction &i) {
  if (!gridOf(warp).globalOrder) return;
  GlobalOrder &order = *gridOf(warp).globalOrder;
  std::lock_guard lock(order.mutex);
  ClusterGlobalOrder &cluster = orderOfCluster(clusterOf(warp));
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (i.globalEffect & kMeetsAtMbarrier) {
    own.places.clear();
    if (!i.source->has("arrive") && !i.source->has("arrive_drop") && !i.source->has("try_wait") &&
        !i.source->has("test_wait"))
      return;
    forEachLane(warp, [&](int lane) {
      const uint32_t at = sharedAddress(addressOf(warp, i.address, lane));
      if (i.source->has("arrive") || i.source->has("arrive_drop"))
        add(cluster.mbarriers[at], knownBy(warp, 1u << lane));
      own.places.assign(1, at);
    });
    return;
  }
  if (i.globalEffect & kFencesProxy) {
    add(cluster.fenced, allKnown(warp));
    forKnownIntervals(warp, [](Interval &interval, Warp &) { interval.isFenced = true; });
  }
  if (i.globalEffect & kFences) {
    add(own.known, cluster.readStrongly);
    release(warp);
    add(cluster.releasedByFences, allKnown(warp));
  }
  own.places.clear();
  if (!(i.globalEffect & (kReadsStrongly | kWritesStrongly))) return;
  forEachLane(warp, [&](int lane) {
    const uint64_t address = addressOf(warp, i.address, lane);
    if (isGlobal(i, address) && std::ranges::find(own.places, address) == own.places.end())
      own.places.push_back(address);
  });
  if (!(i.globalEffect & kWritesStrongly) || own.places.empty()) return;
  Known told = cluster.releasedByFences;
  if (i.globalEffect & kReleases) release(warp), add(told, allKnown(warp));
  for (uint64_t place : own.places)
    if (told) add(order.places[place], told);
}

/// A strong write that tells something tells of itself, too: who acquires what it wrote is behind it.
static void tellOfStrongWrite(Warp &warp, const Instruction &i) {
  GlobalOrder &order = *gridOf(warp).globalOrder;
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (!(i.globalEffect & kReleases) && !orderOfCluster(clusterOf(warp)).releasedByFences) return;
  if (i.globalEffect & kOrdersNothing || own.strong.number == kNone) return;
  Interval &interval = order.intervals[own.strong.number];
  interval.unmetLanes = 0, interval.isReleased = true;
  giveAway(warp);
  auto itself = std::make_shared<Times>();
  itself->given[interval.warp] = openAccesses(warp);
  for (uint64_t place : own.places)
    add(order.places[place], itself);
}

void endGlobalEffect(Warp &warp, const Instruction &i) {
  if (!gridOf(warp).globalOrder || !(i.globalEffect & (kReadsStrongly | kWritesStrongly | kMeetsAtMbarrier)))
    return;
  GlobalOrder &order = *gridOf(warp).globalOrder;
  std::lock_guard lock(order.mutex);
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (i.globalEffect & kWritesStrongly) tellOfStrongWrite(warp, i);
  if (!(i.globalEffect & (kReadsStrongly | kMeetsAtMbarrier))) return;
  if (i.globalEffect & kMeetsAtMbarrier) {
    for (uint64_t place : own.places)
      if (!i.source->has("arrive") && !i.source->has("arrive_drop"))
        add(own.known, orderOfCluster(clusterOf(warp)).mbarriers[uint32_t(place)]);
    return;
  }
  for (uint64_t place : own.places) {
    auto found = order.places.find(place);
    if (found == order.places.end()) continue;
    if (!(i.globalEffect & kAcquires)) {
      add(orderOfCluster(clusterOf(warp)).readStrongly, found->second);
      continue;
    }
    uint32_t lanes = 0; // that read this place
    forEachLane(warp, [&](int lane) {
      if (addressOf(warp, i.address, lane) == place) lanes |= 1u << lane;
    });
    acquire(warp, lanes, found->second);
  }
}

void meetGlobal(Warp &warp) {
  if (!warp.globalOrder || warp.globalOrder->ofLanes.empty()) return;
  for (const auto &[lanes, known] : std::exchange(warp.globalOrder->ofLanes, {}))
    add(warp.globalOrder->known, known);
}

void giveGlobal(Warp &warp) {
  if (!warp.globalOrder || warp.globalOrder->known == warp.globalOrder->givenLast) return;
  warp.globalOrder->givenLast = warp.globalOrder->known;
  add(orderOfCluster(clusterOf(warp)).given, warp.globalOrder->known);
}

void learnGlobal(Warp &warp) {
  const Cluster &cluster = clusterOf(warp);
  if (!cluster.globalOrder || !cluster.globalOrder->given) return;
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (own.known != cluster.globalOrder->given) add(own.known, cluster.globalOrder->given);
}

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
