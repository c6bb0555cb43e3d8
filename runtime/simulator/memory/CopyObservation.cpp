#include "runtime/simulator/memory/CopyObservation.h"

#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

namespace {

Cta &ctaOf(Cluster &cluster, uint32_t address) { return *cluster.ctas[address >> kSharedRankShift]; }

uint32_t offsetOf(uint32_t address) { return (address & ((1u << kSharedRankShift) - 1)) - kSharedBase; }

bool isWatched(Cluster &cluster) { return !cluster.ctas[0]->shared.lastWrite.empty(); }

/// The number of an mbarrier, made at its first copy.
uint32_t barrierNumber(Cluster &cluster, uint32_t address) {
  AccessOrder &order = orderOf(cluster);
  auto [at, isNew] = order.copies.barriers.try_emplace(address, uint32_t(order.copies.ended.size()));
  if (isNew) {
    order.copies.ended.push_back(0), order.copies.underWay.push_back(0);
    order.copies.clocks.push_back(addClock(cluster));
  }
  return at->second;
}

} // namespace

void noteCopied(Cluster &cluster, uint32_t address, uint32_t bytes, uint32_t barrier) {
  if (!isWatched(cluster)) return;
  const uint32_t number = barrierNumber(cluster, barrier);
  CopyPhases &copies = cluster.order.copies;
  uint32_t &phase = copies.underWay[number];
  if (!phase) {
    copies.phases.push_back({number, copies.ended[number] + 1});
    phase = uint32_t(copies.phases.size());
  }
  std::vector<uint32_t> &copied = ctaOf(cluster, address).shared.copied;
  const uint32_t first = offsetOf(address) / 4, last = (offsetOf(address) + bytes + 3) / 4;
  std::fill(copied.begin() + first, copied.begin() + last, phase);
}

void endCopyPhase(Cluster &cluster, uint32_t barrier) {
  CopyPhases &copies = cluster.order.copies;
  auto found = copies.barriers.find(barrier);
  if (found == copies.barriers.end()) return;
  ++copies.ended[found->second];
  copies.underWay[found->second] = 0;
}

void observePhase(Warp &warp, uint32_t barrier) {
  AccessOrder &order = clusterOf(warp).order;
  auto found = order.copies.barriers.find(barrier);
  if (found == order.copies.barriers.end()) return;
  order.learned[numberOf(warp)][order.copies.clocks[found->second]] = order.copies.ended[found->second];
}

void requireObserved(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane) {
  const std::vector<uint32_t> &copied = cta.shared.copied;
  if (copied.empty()) return;
  const AccessOrder &order = clusterOf(warp).order;
  uint32_t before = 0;
  for (uint32_t i = offset / 4; i < (offset + bytes + 3) / 4; ++i) {
    if (copied[i] == before) continue;
    before = copied[i];
    const CopyPhases::Phase &phase = order.copies.phases[before - 1];
    if (order.learned[numberOf(warp)][order.copies.clocks[phase.barrier]] >= phase.number) continue;
    auto barrier = std::ranges::find(order.copies.barriers, phase.barrier,
                                     [](const auto &known) { return known.second; });
    auto text = [](uint32_t rank, uint32_t place) {
      return "shared " + hexadecimal(place) + " of CTA " + std::to_string(rank);
    };
    report(*gridOf(warp).options, Finding::UnobservedCopy, FaultKind::Unfinished,
           text(cta.rank, i * 4 + kSharedBase) +
               " holds what an asynchronous operation wrote, and the warp does not know that it "
               "has completed: it has not seen the end of that phase of the mbarrier at " +
               text(barrier->first >> kSharedRankShift, barrier->first & ((1u << kSharedRankShift) - 1)) +
               ", nor learned it from a warp that has",
           lane);
  }
}

void forgetCopies(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (shared.copied.empty() || !bytes) return;
  std::fill(shared.copied.begin() + offset / 4, shared.copied.begin() + (offset + bytes + 3) / 4, 0);
}

void noteResponse(Cluster &cluster, uint32_t address, uint32_t bytes) {
  if (!isWatched(cluster)) return;
  std::vector<uint8_t> &state = ctaOf(cluster, address).shared.state;
  for (uint32_t i = offsetOf(address); i < offsetOf(address) + bytes; ++i)
    state[i] |= kResponse;
}

void noteResponseRead(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  for (uint32_t i = offset; i < offset + bytes; ++i)
    if (shared.state[i] & kResponse) shared.state[i] |= kResponseRead;
}

void requireResponseFenced(Warp &warp, uint32_t address, uint32_t bytes, int lane) {
  if (!isStrict(warp)) return;
  const Cta &cta = ctaOf(clusterOf(warp), address);
  auto first = cta.shared.state.begin() + offsetOf(address);
  if (std::none_of(first, first + bytes, [](uint8_t state) { return state & kResponseRead; })) return;
  report(*gridOf(warp).options, Finding::ResponseReuse, FaultKind::ProxyOrder,
         "the async proxy is to write a response at shared " +
             hexadecimal(address & ((1u << kSharedRankShift) - 1)) + " of CTA " + std::to_string(cta.rank) +
             ", where the generic proxy has read the one before with no fence.proxy.async since",
         lane);
}

} // namespace mxc::sim
