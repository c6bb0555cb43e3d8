// What fences, strong accesses and barriers give away and tell.
#include "runtime/simulator/memory/GlobalOrderState.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/RelaxedMessages.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

namespace {

/// What is told of warps of the own cluster, in AccessOrder's numbers. All of its clocks is taken for told.
std::vector<uint32_t> ofOwnCluster(Warp &warp, const Known &known) {
  Cluster &cluster = clusterOf(warp);
  std::vector<uint32_t> given = cluster.order.given;
  if (known->isAll) return given;
  for (uint32_t i = 0; i < uint32_t(cluster.order.isOpen.size()); ++i) {
    auto found = known->given.find(firstWarpOf(cluster) + i);
    given[i] = found == known->given.end() ? 0 : found->second;
  }
  return given;
}

/// Lanes have acquired that.
void acquire(Warp &warp, uint32_t lanes, const Known &known) {
  WarpGlobalOrder &own = orderOfWarp(warp);
  const bool isByAll = lanes == warp.liveLanes();
  const std::vector<uint32_t> told = ofOwnCluster(warp, known);
  isByAll ? learn(warp, told) : learnByLanes(warp, told);
  if (isByAll) return add(own.known, known);
  auto same = std::ranges::find(own.ofLanes, lanes, [](const auto &of) { return of.first; });
  if (same == own.ofLanes.end())
    own.ofLanes.emplace_back(lanes, known);
  else
    add(same->second, known);
}

/// All that a warp is ordered after, itself included.
Known allKnown(Warp &warp) {
  Cluster &cluster = clusterOf(warp);
  auto own = std::make_shared<Times>();
  const std::vector<uint32_t> &learned = learnedByAll(warp);
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
    if (isBehindLane(warp, writer, lane, interval.given)) met |= 1u << lane;
  return met;
}

/// f(interval, its writer) for those of the cluster that the warp is ordered after.
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
  cluster.hasOtherOrder |=
      i.globalEffect & kWritesStrongly && !(i.globalEffect & (kReleases | kOrdersNothing));
  forEachLane(warp, [&](int lane) {
    const uint64_t address = addressOf(warp, i.address, lane);
    if (isGlobal(i, address) && std::ranges::find(own.places, address) == own.places.end())
      own.places.push_back(address);
  });
  if (!(i.globalEffect & kWritesStrongly) || own.places.empty()) return;
  requireMessageOrder(warp, i);
  Known told = cluster.releasedByFences;
  if (i.globalEffect & kReleases) release(warp), add(told, allKnown(warp));
  for (uint64_t place : own.places)
    if (told) add(order.places[place], told);
}

/// A strong write that tells something tells of itself, too: who acquires what it wrote is ordered after it.
static void tellOfStrongWrite(Warp &warp, const Instruction &i) {
  GlobalOrder &order = *gridOf(warp).globalOrder;
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (!(i.globalEffect & kReleases) && !orderOfCluster(clusterOf(warp)).releasedByFences) return;
  if (i.globalEffect & kOrdersNothing || own.strong.number == kNone) return;
  Interval &interval = order.intervals[own.strong.number];
  interval.telling = ++own.tellings, interval.isReleased = true;
  auto itself = std::make_shared<Times>();
  forEachLane(warp, [&](int lane) { itself->given[ofTelling(interval.warp, lane)] = own.tellings; });
  for (uint64_t place : own.places)
    add(order.places[place], itself);
}

void noteOtherOrder(Warp &warp) {
  if (gridOf(warp).globalOrder) orderOfCluster(clusterOf(warp)).hasOtherOrder = true;
}

bool learnsFromPlaces(Warp &warp, const Instruction &i) {
  return gridOf(warp).globalOrder && i.globalEffect & kAcquires && i.source->has("global") &&
         !orderOfCluster(clusterOf(warp)).hasOtherOrder;
}

void endGlobalEffect(Warp &warp, const Instruction &i) {
  if (!gridOf(warp).globalOrder || !(i.globalEffect & (kReadsStrongly | kWritesStrongly | kMeetsAtMbarrier)))
    return;
  GlobalOrder &order = *gridOf(warp).globalOrder;
  std::lock_guard lock(order.mutex);
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (i.globalEffect & kWritesStrongly) tellOfStrongWrite(warp, i);
  if (i.globalEffect & (kReadsStrongly | kWritesStrongly)) noteMessages(warp, i);
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
  meetInOrder(warp);
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

} // namespace mxc::sim
