// bar, barrier: the named barriers of a CTA (PTX ISA 9.7.13.1). Lanes are counted, not warps: those of a warp
// may come apart.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/SharedRaces.h"

namespace mxc::sim {

namespace {

enum Reduction : uint8_t { kPlain, kPopulation, kAnd, kOr };

constexpr int kBarrier = 0, kThreads = 1, kResult = 2, kPredicate = 3;                  // rows
constexpr int kHasThreads = 0, kReduction = 1, kIsPredicateNegated = 2, kIsAligned = 3; // small

NamedBarrier &barrierOf(Warp &warp, const Instruction &i) {
  uint32_t id = lanes<uint32_t>(warp, i.rows[kBarrier])[__builtin_ctz(warp.mask)];
  if (id >= 16) throw FaultError(FaultKind::BarrierMisuse, "barrier " + std::to_string(id) + " of 16");
  return warp.cta->barriers[id];
}

uint32_t expectedThreads(Warp &warp, const Instruction &i) {
  if (!i.small[kHasThreads]) return 0;
  uint32_t threads = lanes<uint32_t>(warp, i.rows[kThreads])[__builtin_ctz(warp.mask)];
  if (threads == 0 || threads % 32 || threads > 1024)
    throw FaultError(FaultKind::BarrierMisuse,
                     "a barrier's thread count must be a multiple of 32 up to 1024, found " +
                         std::to_string(threads));
  return threads;
}

void arriveAt(Warp &warp, const Instruction &i, NamedBarrier &barrier) {
  uint32_t expected = expectedThreads(warp, i);
  if (barrier.arrived == 0) barrier.expected = expected;
  if (barrier.expected != expected && isChecked(warp))
    throw FaultError(FaultKind::BarrierMisuse, "this barrier awaits " + std::to_string(barrier.expected) +
                                                   " threads by another thread's word, here " +
                                                   std::to_string(expected) + " (0: all)");
  barrier.arrived += uint32_t(__builtin_popcount(warp.mask));
  if (isStrict(warp)) addOrder(barrier.arriving, orderOf(warp));
}

/// Checks::Strict: the warps that wait at the barrier learn what the others have done, now and no more.
void teachWaiters(Cta &cta, const NamedBarrier &barrier) {
  const uint64_t number = uint64_t(&barrier - cta.barriers.data());
  for (Warp &warp : cta.warps)
    for (const WarpSplit &split : warp.splits)
      if (split.token == barrier.phase && split.wait.kind == Wait::Kind::NamedBarrier &&
          split.wait.address == number)
        learn(warp, barrier.given);
}

void completeIfFull(Warp &warp, NamedBarrier &barrier) {
  uint32_t expected = barrier.expected ? barrier.expected : warp.cta->liveThreads;
  if (barrier.arrived == 0 || barrier.arrived < expected) return;
  if (barrier.arrived > expected)
    throw FaultError(FaultKind::BarrierMisuse, std::to_string(barrier.arrived) +
                                                   " threads arrived at a barrier of " +
                                                   std::to_string(expected));
  barrier.given = std::move(barrier.arriving);
  barrier.arriving.clear();
  if (isStrict(warp)) teachWaiters(*warp.cta, barrier);
  barrier.lastArrived = barrier.arrived;
  barrier.arrived = 0;
  barrier.lastPredicateCount = barrier.predicateCount;
  barrier.predicateCount = 0;
  ++barrier.phase;
}

Outcome arriveHandler(Warp &warp, const Instruction &i) {
  if (i.small[kIsAligned] && !gatherAligned(warp, "bar.arrive")) return Outcome::Blocked;
  NamedBarrier &barrier = barrierOf(warp, i);
  arriveAt(warp, i, barrier);
  completeIfFull(warp, barrier);
  return Outcome::Next;
}

uint32_t predicateOf(Warp &warp, const Instruction &i) {
  uint32_t bits = predicate(warp, i.rows[kPredicate]);
  return (i.small[kIsPredicateNegated] ? ~bits : bits) & warp.mask;
}

void storeResult(Warp &warp, const Instruction &i, const NamedBarrier &barrier) {
  uint32_t count = barrier.lastPredicateCount;
  if (i.small[kReduction] == kPopulation)
    forLanes<uint32_t>(warp, i.rows[kResult], [&](int) { return count; });
  if (i.small[kReduction] == kAnd)
    forPredicate(warp, i.rows[kResult], [&](int) { return count == barrier.lastArrived; });
  if (i.small[kReduction] == kOr) forPredicate(warp, i.rows[kResult], [&](int) { return count != 0; });
}

/// The token is the phase that was current at the arrival.
Outcome syncHandler(Warp &warp, const Instruction &i) {
  if (i.small[kIsAligned] && warp.split().token == 0 && !gatherAligned(warp, "a barrier with .aligned"))
    return Outcome::Blocked;
  NamedBarrier &barrier = barrierOf(warp, i);
  WarpSplit &split = warp.split();
  if (split.token == 0) {
    split.token = barrier.phase;
    arriveAt(warp, i, barrier);
    if (i.small[kReduction]) barrier.predicateCount += uint32_t(__builtin_popcount(predicateOf(warp, i)));
    if (warp.statistics) ++warp.statistics->barrierWaits;
  }
  if (split.token == barrier.phase) {
    completeIfFull(warp, barrier);
    if (split.token != barrier.phase && isStrict(warp)) learn(warp, barrier.given);
  }
  if (split.token == barrier.phase) {
    warp.wait = {Wait::Kind::NamedBarrier, "",
                 lanes<uint32_t>(warp, i.rows[kBarrier])[__builtin_ctz(warp.mask)], barrier.expected};
    return Outcome::Blocked;
  }
  if (i.small[kReduction]) storeResult(warp, i, barrier);
  return Outcome::Next;
}

Outcome warpSyncHandler(Warp &warp, const Instruction &i) {
  uint32_t members = lanes<uint32_t>(warp, i.rows[kBarrier])[__builtin_ctz(warp.mask)];
  if (converge(warp, members)) return Outcome::Next;
  warp.wait = {Wait::Kind::Lanes, "bar.warp.sync", 0, members};
  return Outcome::Blocked;
}

void decodeReduction(Decoder &d, Instruction &out) {
  std::string_view operation = d.takeOneOf({"popc", "and", "or"});
  if (operation.empty()) d.fail("expected .popc, .and or .or");
  out.small[kReduction] = operation == "popc" ? kPopulation : operation == "and" ? kAnd : kOr;
  d.ignore({"u32", "pred"});
  out.rows[kResult] = d.write(0, operation == "popc" ? kTypeB32 : kTypePredicate);
  bool isNegated;
  size_t last = d.operandCount() - 1;
  out.rows[kPredicate] = d.readPredicate(last, isNegated);
  out.small[kIsPredicateNegated] = isNegated;
  out.rows[kBarrier] = d.read(1, kTypeB32);
  out.small[kHasThreads] = last == 3;
  if (last == 3) out.rows[kThreads] = d.read(2, kTypeB32);
  out.handler = syncHandler;
}

void decodeBarrier(Decoder &d, Instruction &out) {
  d.ignore({"cta"});
  out.small[kIsAligned] =
      d.take("aligned") || d.source().opcode == "bar"; // PTX ISA 9.7.13.1: bar is barrier.aligned
  if (d.take("warp")) {
    if (!d.take("sync")) d.fail("expected bar.warp.sync");
    out.rows[kBarrier] = d.read(0, kTypeB32);
    out.handler = warpSyncHandler;
    return d.finish();
  }
  if (d.take("red")) {
    decodeReduction(d, out);
    return d.finish();
  }
  out.handler = d.take("arrive") ? arriveHandler : d.take("sync") ? syncHandler : nullptr;
  if (!out.handler) d.fail("expected .sync, .arrive or .red");
  out.rows[kBarrier] = d.read(0, kTypeB32);
  out.small[kHasThreads] = d.operandCount() > 1;
  if (out.small[kHasThreads]) out.rows[kThreads] = d.read(1, kTypeB32);
  d.finish();
}

void decodeBarrierOrCluster(Decoder &d, Instruction &out) {
  for (const std::string &modifier : d.source().modifiers)
    if (modifier == "cluster") return decodeClusterBarrier(d, out);
  decodeBarrier(d, out);
}

} // namespace

extern const Table kBarrierInstructions;
const Table kBarrierInstructions = {{"bar",
                                     decodeBarrier,
                                     Counted::Synchronization,
                                     Unwritten::Use,
                                     {Order::Barrier, {{"arrive", Order::Arrival}}}},
                                    {"barrier",
                                     decodeBarrierOrCluster,
                                     Counted::Synchronization,
                                     Unwritten::Use,
                                     {Order::Barrier,
                                      {{"cluster.arrive.relaxed", Order::RelaxedArrival},
                                       {"cluster.wait", Order::ClusterWait},
                                       {"arrive", Order::Arrival}}}}};

} // namespace mxc::sim
