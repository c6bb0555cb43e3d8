// tcgen05.commit (PTX ISA 9.7.16.12) and tcgen05.fence (9.7.16.11).
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/instructions/Tcgen05.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/Access.h"
#include "runtime/simulator/memory/ReadObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>

namespace mxc::sim {

namespace {

constexpr int kMask = 0;                     // rows
constexpr int kIsPair = 0, kIsMulticast = 1; // small

/// What a commit sends when all that it tracks is done: to each mbarrier by itself, in no order with
/// another's.
struct Arrival : AsyncOperation {
  uint32_t barrier = 0;
  const char *what = nullptr;
  bool signals(uint32_t at) const override { return at == barrier; }
  bool signalsCta(uint32_t rank) const override { return barrier >> kSharedRankShift == rank; }
  void perform(Cluster &cluster) override {
    arriveAsynchronously(cluster, barrier, *this);
    arriveOnMbarrier(cluster, barrier, 1, what);
  }
};

/// The last of its chain at its issue, so all that it tracks is done when it is performed.
struct CommitOperation : TensorOperation {
  std::vector<uint32_t> barriers;

  bool signals(uint32_t barrier) const override { return std::ranges::count(barriers, barrier) != 0; }
  bool signalsCta(uint32_t rank) const override {
    return std::ranges::any_of(barriers, [&](uint32_t at) { return at >> kSharedRankShift == rank; });
  }
  void compute(Cluster &cluster) override {
    const char *what = barriers.size() > 1 ? "a commit to several CTAs" : "a commit";
    for (uint32_t barrier : barriers) {
      if (cluster.grid->options->checks != Checks::Strict) { // kernels rely on the order
        arriveOnMbarrier(cluster, barrier, 1, what);
        continue;
      }
      auto arrival = std::make_unique<Arrival>();
      arrival->barrier = barrier, arrival->what = what, arrival->order = order;
      arrival->line = line, arrival->issuer = issuer, arrival->description = description;
      cluster.async.issue(cluster, std::move(arrival));
    }
  }
};

std::vector<uint32_t> barriersOf(Warp &warp, const Instruction &i, int thread) {
  uint32_t address = sharedAddress(addressOf(warp, i.address, thread));
  if (!i.small[kIsMulticast]) return {address};
  uint32_t mask = lanes<uint16_t>(warp, i.rows[kMask])[thread];
  std::vector<uint32_t> barriers;
  uint32_t offset = address & ((1u << kSharedRankShift) - 1);
  for (uint32_t rank = 0; mask >> rank; ++rank)
    if (mask >> rank & 1) barriers.push_back(rank << kSharedRankShift | offset);
  return barriers;
}

Outcome commitHandler(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int thread) {
    auto operation = std::make_unique<CommitOperation>();
    operation->barriers = barriersOf(warp, i, thread);
    for (uint32_t barrier : operation->barriers) {
      try {
        loadMbarrier(clusterOf(warp), barrier); // what it is to arrive on must be there now
        requirePublished(warp, barrier, true, thread);
      } catch (FaultError &error) {
        error.fault.lane = thread;
        throw;
      }
    }
    const Cta &leader = *groupOf(warp, i.small[kIsPair]).ctas[0];
    operation->chain = tensorChain(leader);
    if (isStrict(warp)) operation->order = orderOf(warp), addTensorReads(warp, leader, operation->order);
    issueTensorOperation(warp, i, std::move(operation));
  });
  fenceTensorMemoryBefore(warp); // implied
  return Outcome::Next;
}

Outcome afterHandler(Warp &warp, const Instruction &) {
  fenceTensorMemoryAfter(warp);
  return Outcome::Next;
}

Outcome beforeHandler(Warp &warp, const Instruction &) {
  fenceTensorMemoryBefore(warp);
  return Outcome::Next;
}

} // namespace

void decodeTcgen05Commit(Decoder &d, Instruction &out) {
  d.take("commit");
  out.small[kIsPair] = takeCtaGroup(d);
  if (!d.take("mbarrier::arrive::one")) d.fail("expected .mbarrier::arrive::one");
  d.ignore({"shared::cluster", "b64"});
  out.small[kIsMulticast] = d.take("multicast::cluster");
  out.address = d.address(0);
  if (out.small[kIsMulticast]) out.rows[kMask] = d.read(1, kTypeB16);
  out.handler = commitHandler;
  d.finish();
}

void decodeTcgen05Fence(Decoder &d, Instruction &out) {
  out.handler = d.take("fence::after_thread_sync") ? afterHandler : beforeHandler;
  d.ignore({"fence::before_thread_sync"});
  d.finish();
}

} // namespace mxc::sim
