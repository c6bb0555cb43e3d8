// barrier.cluster, clusterlaunchcontrol, griddepcontrol, setmaxnreg (PTX
// ISA 9.7.13.4, 9.7.15, 9.7.13.14, 9.7.20.6).
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <cstring>

namespace mxc::sim {

namespace {

uint32_t &arrivedLanesOf(Warp &warp) {
  Cluster &cluster = clusterOf(warp);
  size_t warps = warp.cta->warps.size(); // the same in every CTA
  cluster.barrier.arrivedLanes.resize(warps * cluster.ctas.size());
  return cluster.barrier.arrivedLanes[warps * warp.cta->rank + warp.index];
}

/// A phase is complete when every thread has arrived or exited. Exits are not told to the barrier, so whoever
/// looks at it asks.
void completeIfAllArrived(Cluster &cluster) {
  ClusterBarrier &barrier = cluster.barrier;
  if (barrier.arrivedLanes.empty()) return;
  bool isAny = false;
  size_t at = 0;
  for (auto &cta : cluster.ctas)
    for (Warp &warp : cta->warps) {
      uint32_t arrived = barrier.arrivedLanes[at++];
      if (warp.liveLanes() & ~arrived) return;
      isAny |= arrived != 0;
    }
  if (!isAny) return;
  barrier.arrivedLanes.assign(barrier.arrivedLanes.size(), 0);
  barrier.given = std::move(barrier.arriving);
  barrier.arriving.clear();
  ++barrier.phase;
}

constexpr int kIsAligned = 0, kIsRelaxed = 1; // small

Outcome arrive(Warp &warp, const Instruction &i) {
  if (i.small[kIsAligned] && !gatherAligned(warp, "barrier.cluster.arrive.aligned")) return Outcome::Blocked;
  Cluster &cluster = clusterOf(warp);
  if (!i.small[kIsRelaxed]) releaseBarriers(warp);
  completeIfAllArrived(cluster); // perhaps somebody's exit has completed the phase before
  uint32_t &arrived = arrivedLanesOf(warp);
  if (uint32_t twice = arrived & warp.mask; twice && isChecked(warp))
    throw FaultError(FaultKind::BarrierMisuse, "a second barrier.cluster.arrive in the same phase",
                     __builtin_ctz(twice));
  arrived |= warp.mask;
  if (isStrict(warp)) addOrder(cluster.barrier.arriving, orderOf(warp));
  completeIfAllArrived(cluster);
  return Outcome::Next;
}

/// A lane waits while its arrival counts for the current phase.
Outcome wait(Warp &warp, const Instruction &i) {
  if (i.small[kIsAligned] && !gatherAligned(warp, "barrier.cluster.wait.aligned")) return Outcome::Blocked;
  Cluster &cluster = clusterOf(warp);
  WarpSplit &split = warp.split();
  if (split.token == 0 && warp.statistics) ++warp.statistics->barrierWaits;
  split.token = 1;
  completeIfAllArrived(cluster);
  if (!(arrivedLanesOf(warp) & warp.mask)) {
    if (isStrict(warp)) learn(warp, cluster.barrier.given);
    return Outcome::Next;
  }
  uint32_t missing = 0;
  size_t at = 0;
  for (auto &cta : cluster.ctas)
    for (Warp &other : cta->warps)
      missing += uint32_t(__builtin_popcount(other.liveLanes() & ~cluster.barrier.arrivedLanes[at++]));
  warp.wait = {Wait::Kind::ClusterBarrier, "", cluster.barrier.phase, missing};
  return Outcome::Blocked;
}

/// What try_cancel writes; the sixteen bytes are opaque to kernels.
struct Response {
  uint32_t firstCta[3];
  uint32_t isCanceled;
};

Response takeCluster(Grid &grid) {
  uint64_t index = grid.nextCluster.load();
  do
    if (index >= grid.clusterCount) return {};
  while (!grid.nextCluster.compare_exchange_weak(index, index + 1));
  const std::array<uint32_t, 3> &size = grid.launch->cluster;
  return {{uint32_t(index % grid.clusters[0]) * size[0],
           uint32_t(index / grid.clusters[0] % grid.clusters[1]) * size[1],
           uint32_t(index / grid.clusters[0] / grid.clusters[1]) * size[2]},
          1};
}

struct CancelOperation : AsyncOperation {
  uint32_t response = 0, barrier = 0;
  uint32_t firstRank = 0, ranks = 1;
  bool signals(uint32_t at) const override { return inCta(at, 0) == inCta(barrier, 0); }
  void perform(Cluster &cluster) override {
    Response taken = takeCluster(*cluster.grid);
    for (uint32_t rank = firstRank; rank < firstRank + ranks; ++rank) {
      std::memcpy(sharedBytes(cluster, inCta(response, rank), sizeof taken, false), &taken, sizeof taken);
      settleAsyncWrite(cluster, inCta(response, rank), sizeof taken);
      noteCopied(cluster, inCta(response, rank), sizeof taken, inCta(barrier, rank));
      noteResponse(cluster, inCta(response, rank), sizeof taken);
      completeTransactions(cluster, inCta(barrier, rank), sizeof taken, "bytes of try_cancel");
    }
  }
};

constexpr int kIsMulticast = 0, kAxis = 1, kBarrierRowBytes = 2; // small
constexpr int kResult = 0, kHandle = 3, kBarrierRow = 4;         // rows

Outcome tryCancel(Warp &warp, const Instruction &i) {
  Cluster &cluster = clusterOf(warp);
  Address barrier{{i.rows[kBarrierRow], i.small[kBarrierRowBytes]}, i.immediate};
  forEachLane(warp, [&](int lane) {
    auto operation = std::make_unique<CancelOperation>();
    operation->response = sharedAddress(addressOf(warp, i.address, lane));
    operation->barrier = sharedAddress(addressOf(warp, barrier, lane));
    operation->firstRank = i.small[kIsMulticast] ? 0 : rankOf(operation->response);
    operation->ranks = i.small[kIsMulticast] ? uint32_t(cluster.ctas.size()) : 1;
    if (operation->response % sizeof(Response))
      throw FaultError(FaultKind::Misaligned, "the response of try_cancel lies at a multiple of 16", lane);
    for (uint32_t rank = operation->firstRank; rank < operation->firstRank + operation->ranks; ++rank) {
      requirePublished(warp, inCta(operation->barrier, rank), true, lane);
      requireAsyncDestination(warp, inCta(operation->response, rank), sizeof(Response), lane);
      requireResponseFenced(warp, inCta(operation->response, rank), sizeof(Response), lane);
      if (isDeferred(warp))
        setMarks(cluster, inCta(operation->response, rank), sizeof(Response), kAsyncWrites);
    }
    cluster.async.issue(cluster, placed(warp, std::move(operation), i, i.source->spelling()));
  });
  return Outcome::Next;
}

Response responseOf(Warp &warp, const Instruction &i, int lane) {
  Response response;
  std::memcpy(&response, warp.registers + i.rows[kHandle] + size_t(lane) * sizeof response, sizeof response);
  return response;
}

Outcome isCanceled(Warp &warp, const Instruction &i) {
  forPredicate(warp, i.rows[kResult], [&](int lane) { return responseOf(warp, i, lane).isCanceled == 1; });
  return Outcome::Next;
}

Response canceledOf(Warp &warp, const Instruction &i, int lane) {
  Response response = responseOf(warp, i, lane);
  if (response.isCanceled != 1 && isStrict(warp))
    report(*gridOf(warp).options, Finding::ResponseUncanceled, FaultKind::Illegal,
           "get_first_ctaid of a response that canceled nothing", lane);
  return response;
}

Outcome firstCta(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    Response response = canceledOf(warp, i, lane);
    for (int axis = 0; axis < 3; ++axis)
      lanes<uint32_t>(warp, i.rows[axis])[lane] = response.firstCta[axis];
  });
  return Outcome::Next;
}

Outcome firstCtaOnAxis(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    lanes<uint32_t>(warp, i.rows[kResult])[lane] = canceledOf(warp, i, lane).firstCta[i.small[kAxis]];
  });
  return Outcome::Next;
}

void decodeTryCancel(Decoder &d, Instruction &out) {
  if (!d.take("async") || !d.take("mbarrier::complete_tx::bytes"))
    d.fail("expected .async and .mbarrier::complete_tx::bytes");
  d.ignore({"shared::cta", "b128"});
  out.small[kIsMulticast] = d.take("multicast::cluster::all");
  d.finish();
  out.address = d.address(0);
  Address barrier = d.address(1);
  out.rows[kBarrierRow] = barrier.base.offset, out.small[kBarrierRowBytes] = uint8_t(barrier.base.bytes);
  out.immediate = barrier.displacement;
  out.handler = tryCancel;
}

void decodeFirstCta(Decoder &d, Instruction &out) {
  const ptx::Operand &result = d.operand(0);
  if (d.take("get_first_ctaid")) {
    if (!d.take("v4") || result.kind != ptx::Operand::Kind::Vector || result.parts.size() != 4)
      d.fail("expected a vector of four destinations");
    for (size_t axis = 0; axis < 3; ++axis)
      out.rows[axis] = d.write(result.parts[axis], kTypeB32).offset;
    out.handler = firstCta;
    return;
  }
  std::string_view axis = d.takeOneOf({"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"});
  if (axis.empty()) d.fail("no such query");
  out.small[kAxis] = uint8_t(axis.back() - 'x');
  out.rows[kResult] = d.write(0, kTypeB32);
  out.handler = firstCtaOnAxis;
}

void decodeLaunchControl(Decoder &d, Instruction &out) {
  if (d.take("try_cancel")) return decodeTryCancel(d, out);
  if (!d.take("query_cancel")) d.fail("expected .try_cancel or .query_cancel");
  if (d.take("is_canceled")) {
    out.rows[kResult] = d.write(0, kTypePredicate);
    out.handler = isCanceled;
  } else {
    decodeFirstCta(d, out);
  }
  out.rows[kHandle] = d.read(1, kTypeB128);
  d.ignore({"pred", "b32", "b128"});
  d.finish();
}

Outcome nothing(Warp &, const Instruction &) { return Outcome::Next; }

/// Launches are serial here: what a grid depends on is complete. Strict checks see who relies on it
/// (Access.cpp).
Outcome awaitGrids(Warp &warp, const Instruction &) {
  clusterOf(warp).hasAwaitedGrids = true;
  return Outcome::Next;
}

void decodeGridDependency(Decoder &d, Instruction &out) {
  std::string_view word = d.takeOneOf({"wait", "launch_dependents"});
  if (word.empty()) d.fail("expected .wait or .launch_dependents");
  d.finish();
  out.handler = word == "wait" ? awaitGrids : nothing;
}

Outcome setRegisterCount(Warp &warp, const Instruction &) {
  return gatherAligned(warp, "setmaxnreg") ? Outcome::Next : Outcome::Blocked;
}

void decodeRegisterCount(Decoder &d, Instruction &out) {
  if (d.takeOneOf({"inc", "dec"}).empty()) d.fail("expected .inc or .dec");
  d.ignore({"sync", "aligned", "u32"});
  d.finish();
  int64_t count = d.integer(0);
  if (count < 24 || count > 256 || count % 8)
    d.fail("expected a multiple of 8 from 24 to 256, found " + std::to_string(count));
  out.handler = setRegisterCount;
}

} // namespace

void decodeClusterBarrier(Decoder &d, Instruction &out) {
  d.ignore({"cluster"});
  out.small[kIsAligned] = d.take("aligned");
  out.handler = d.take("arrive") ? arrive : d.take("wait") ? wait : nullptr;
  if (!out.handler) d.fail("expected .arrive or .wait");
  out.small[kIsRelaxed] = d.takeOneOf({"release", "relaxed", "acquire"}) == "relaxed";
  d.finish();
}

extern const Table kClusterControlInstructions;
const Table kClusterControlInstructions = {
    {"clusterlaunchcontrol",
     decodeLaunchControl,
     Counted::Synchronization,
     Unwritten::Use,
     Order::Own,
     {{"sm_100"}}},
    {"griddepcontrol", decodeGridDependency, Counted::Synchronization, Unwritten::Lanewise, Order::Own},
    {"setmaxnreg", decodeRegisterCount, Counted::Control, Unwritten::Lanewise, Order::None}};

} // namespace mxc::sim
