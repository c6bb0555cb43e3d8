#include "runtime/simulator/memory/RelaxedMessages.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/GlobalOrderState.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

static constexpr size_t kMostWrites = 1 << 18, kMostReads = 1 << 10; // in a grid, by a warp

namespace {

bool isPlaceOfInstruction(Warp &warp, uint64_t address) {
  const std::vector<uint64_t> &places = orderOfWarp(warp).places;
  return std::ranges::find(places, address) != places.end();
}

const Interval &intervalOf(const GlobalOrder &order, const StrongWrite &write) {
  return order.intervals[(write.writer - 1) / kLanes];
}

/// Whether what a warp wrote later tells of an earlier write: it is its own, or that of a warp of its cluster
/// that it was ordered after.
bool tellsOf(const GlobalOrder &order, const StrongWrite &later, const StrongWrite &earlier,
             uint32_t warpsOfCluster) {
  const Interval &told = intervalOf(order, earlier);
  const uint32_t by = intervalOf(order, later).warp;
  if (later.time <= earlier.time || by / warpsOfCluster != told.warp / warpsOfCluster) return false;
  return by == told.warp || (*later.learned)[told.warp % warpsOfCluster] > told.given;
}

/// f(place, read) for the strong reads of a warp and of those of its cluster that it is ordered after, until
/// one is true.
template <class F> bool isAnyRead(Warp &warp, F f) {
  Cluster &cluster = clusterOf(warp);
  for (uint32_t i = 0; i < uint32_t(orderOf(cluster).isOpen.size()); ++i) {
    Warp &reader = warpOf(cluster, i);
    if (!reader.globalOrder) continue;
    for (const auto &[place, read] : reader.globalOrder->reads)
      if (isBehindInCluster(warp, i, read.given) && f(place, read)) return true;
  }
  return false;
}

/// Where the warp has been told of an addition to `place`; 0: nowhere, or it has seen it there.
uint64_t messageOf(Warp &warp, uint64_t place, const StrongWrite &addition) {
  const GlobalOrder &order = *gridOf(warp).globalOrder;
  const uint32_t warps = uint32_t(orderOf(clusterOf(warp)).isOpen.size());
  uint64_t message = 0;
  const bool isSeen = isAnyRead(warp, [&](uint64_t at, const StrongRead &read) {
    if (at == place) return read.time >= addition.time;
    auto written = order.messages.places.find(at);
    if (message || written == order.messages.places.end()) return false;
    const bool tells = std::ranges::any_of(written->second, [&](const auto &of) {
      return of.second.time <= read.time && tellsOf(order, of.second, addition, warps);
    });
    if (tells) message = at;
    return false;
  });
  return isSeen ? 0 : message;
}

/// The lane writes strongly to a place.
void noteWrite(Warp &warp, const Instruction &i, uint64_t place, int lane) {
  RelaxedMessages &messages = gridOf(warp).globalOrder->messages;
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (messages.kept >= kMostWrites) return;
  RelaxedMessages::ByThread &writes = messages.places[place];
  const bool isStore = i.source->opcode == "st" || i.source->has("exch");
  if (isStore)
    for (auto &[thread, write] : writes)
      write.isAddition = false;
  if (!own.learned || *own.learned != learnedBy(warp))
    own.learned = std::make_shared<const std::vector<uint32_t>>(learnedBy(warp));
  const uint32_t thread = (firstWarpOf(clusterOf(warp)) + numberOf(warp)) * kLanes + uint32_t(lane);
  auto [write, isNew] = writes.try_emplace(thread);
  messages.kept += isNew;
  const bool isAddition = !isStore && !i.source->has("cas");
  write->second = {own.strong.number * kLanes + uint32_t(lane) + 1, messages.time, isAddition, own.learned};
}

} // namespace

bool hasFound(Warp &warp, uint32_t writer, uint64_t place) {
  const RelaxedMessages &messages = gridOf(warp).globalOrder->messages;
  if (!warp.globalOrder) return false;
  auto read = warp.globalOrder->reads.find(place);
  auto writes = messages.places.find(place);
  if (read == warp.globalOrder->reads.end() || writes == messages.places.end()) return false;
  return std::ranges::none_of(writes->second, [&](const auto &of) {
    return of.second.writer == writer && of.second.time > read->second.time;
  });
}

void requireMessageOrder(Warp &warp, const Instruction &i) {
  if (!i.source->has("exch")) return;
  RelaxedMessages &messages = gridOf(warp).globalOrder->messages;
  forEachLane(warp, [&](int lane) {
    const uint64_t place = addressOf(warp, i.address, lane);
    auto writes = messages.places.find(place);
    if (writes == messages.places.end()) return;
    for (const auto &[thread, write] : writes->second) {
      if (!write.isAddition || isOrderedAfter(warp, write.writer, After::Store, lane)) continue;
      if (const uint64_t message = messageOf(warp, place, write))
        report(*gridOf(warp).options, Finding::RelaxedMessage, FaultKind::Race,
               "exchange of " + writtenText(warp, write.writer, place) +
                   " by an atomic operation: a later write to global " + hexadecimal(message) +
                   " has told of that, but no release after it that this lane, or one that it has met, has "
                   "acquired, so that the exchange may come before it",
               lane);
    }
  });
}

void noteMessages(Warp &warp, const Instruction &i) {
  RelaxedMessages &messages = gridOf(warp).globalOrder->messages;
  WarpGlobalOrder &own = orderOfWarp(warp);
  if (own.places.empty()) return;
  ++messages.time;
  if (i.globalEffect & kReadsStrongly) {
    if (own.reads.size() >= kMostReads) own.reads.clear();
    for (uint64_t place : own.places)
      own.reads[place] = {messages.time, accessesGiven(warp)};
  }
  if (!(i.globalEffect & kWritesStrongly) || own.strong.number == kNone) return;
  forEachLane(warp, [&](int lane) {
    const uint64_t place = addressOf(warp, i.address, lane);
    if (isPlaceOfInstruction(warp, place)) noteWrite(warp, i, place, lane);
  });
}

} // namespace mxc::sim
