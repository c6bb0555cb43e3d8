// mbarrier.* (PTX ISA 9.7.13.15): barriers in shared memory that count arrivals and bytes.
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/async/MbarrierObject.h"

#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/Access.h"
#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <utility>

namespace mxc::sim {

namespace {

constexpr int kIsGeneric = 0, kHasCount = 1, kHasResult = 2, kIsParity = 3; // small
constexpr int kResult = 0, kCount = 1, kTested = 2;                         // rows

uint32_t barrierAddress(Warp &warp, const Instruction &i, int lane) {
  uint64_t address = addressOf(warp, i.address, lane);
  if (i.small[kIsGeneric] && spaceOf(address) != ptx::Space::Shared)
    throw FaultError(FaultKind::AddressSpace, "an mbarrier's generic address must lie in shared memory",
                     lane);
  return sharedAddress(address);
}

uint32_t countOf(Warp &warp, const Instruction &i, int lane) {
  return i.small[kHasCount] ? lanes<uint32_t>(warp, i.rows[kCount])[lane] : 1;
}

/// f(address, lane) for every lane; its faults name the lane.
template <class F> void forEachBarrier(Warp &warp, const Instruction &i, F f) {
  forEachLane(warp, [&](int lane) {
    try {
      uint32_t address = barrierAddress(warp, i, lane);
      requirePublished(warp, address, false, lane);
      f(address, lane);
    } catch (FaultError &error) {
      error.fault.lane = lane;
      throw;
    }
  });
}

bool isAwaited(Cluster &cluster, uint32_t address) {
  for (auto &cta : cluster.ctas)
    for (Warp &warp : cta->warps)
      for (const WarpSplit &split : warp.splits)
        if (split.isBlocked && split.wait.kind == Wait::Kind::Mbarrier && split.wait.address == address)
          return true;
  return false;
}

Outcome initialize(Warp &warp, const Instruction &i) {
  forEachBarrier(warp, i, [&](uint32_t address, int lane) {
    if (isStrict(warp) && isAwaited(clusterOf(warp), address))
      report(*gridOf(warp).options, Finding::BarrierReuse, FaultKind::BarrierMisuse,
             "an mbarrier is initialized anew while threads wait for it", lane);
    initializeMbarrier(clusterOf(warp), address, countOf(warp, i, lane));
    noteInitialized(warp, address);
  });
  return Outcome::Next;
}

Outcome invalidate(Warp &warp, const Instruction &i) {
  forEachBarrier(warp, i, [&](uint32_t address, int) { invalidateMbarrier(clusterOf(warp), address); });
  return Outcome::Next;
}

Outcome expect(Warp &warp, const Instruction &i) {
  forEachBarrier(warp, i, [&](uint32_t address, int lane) {
    expectTransactions(clusterOf(warp), address, countOf(warp, i, lane));
  });
  return Outcome::Next;
}

Outcome complete(Warp &warp, const Instruction &i) {
  forEachBarrier(warp, i, [&](uint32_t address, int lane) {
    completeTransactions(clusterOf(warp), address, countOf(warp, i, lane), "mbarrier.complete_tx");
  });
  return Outcome::Next;
}

enum class Arrival : uint8_t { Plain, Drop, Expect, DropExpect, NoComplete, DropNoComplete };

/// The state of an mbarrier before a warp arrives on it with one instruction: all its lanes are told that one
/// (seen on an H200).
class StatesBefore {
public:
  Mbarrier of(Cluster &cluster, uint32_t address) {
    for (const auto &[known, state] : states_)
      if (known == address) return state;
    return states_.emplace_back(address, loadMbarrier(cluster, address)).second;
  }

private:
  std::vector<std::pair<uint32_t, Mbarrier>> states_;
};

/// The result is the state before the warp's arrivals.
template <Arrival kind> Outcome arrive(Warp &warp, const Instruction &i) {
  constexpr bool isDrop =
      kind == Arrival::Drop || kind == Arrival::DropExpect || kind == Arrival::DropNoComplete;
  constexpr bool isExpect = kind == Arrival::Expect || kind == Arrival::DropExpect;
  constexpr bool isNoComplete = kind == Arrival::NoComplete || kind == Arrival::DropNoComplete;
  Cluster &cluster = clusterOf(warp);
  StatesBefore statesBefore;
  forEachBarrier(warp, i, [&](uint32_t address, int lane) {
    uint32_t count = isExpect ? 1 : countOf(warp, i, lane);
    if (i.small[kHasResult])
      lanes<uint64_t>(warp, i.rows[kResult])[lane] = encodeMbarrier(statesBefore.of(cluster, address));
    if (isNoComplete && count >= loadMbarrier(cluster, address).pending)
      throw FaultError(FaultKind::BarrierMisuse, "an arrival with .noComplete completes the mbarrier's phase",
                       lane);
    if (isExpect) expectTransactions(cluster, address, countOf(warp, i, lane));
    const bool isOwn = address >> kSharedRankShift == warp.cta->rank;
    if (isStrict(warp) && !isOwn) noteRemoteArrival(warp, address >> kSharedRankShift);
    if (isStrict(warp)) arriveInOrder(cluster, address, orderOf(warp));
    const char *what =
        isExpect ? isOwn ? "an arrival with expected bytes" : "another CTA's arrival with expected bytes"
        : isOwn  ? "an arrival"
                 : "another CTA's arrival";
    if (isDrop)
      dropFromMbarrier(cluster, address, count, what);
    else
      arriveOnMbarrier(cluster, address, count, what);
  });
  return Outcome::Next;
}

Outcome pendingCount(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    std::optional<Mbarrier> state = decodeMbarrier(lanes<uint64_t>(warp, i.rows[kTested])[lane]);
    if (!state)
      throw FaultError(FaultKind::BarrierMisuse, "the operand is no state that mbarrier.arrive gave", lane);
    lanes<uint32_t>(warp, i.rows[kResult])[lane] = state->pending;
  });
  return Outcome::Next;
}

/// The phase that a lane asks for: a parity, or that of the state that an arrival gave.
bool phaseAsked(Warp &warp, const Instruction &i, int lane) {
  if (i.small[kIsParity]) {
    uint32_t parity = lanes<uint32_t>(warp, i.rows[kTested])[lane];
    if (parity > 1 && isStrict(warp))
      report(*gridOf(warp).options, Finding::PhaseParity, FaultKind::BarrierMisuse,
             "a phase parity is 0 or 1, found " + std::to_string(parity), lane);
    return parity & 1;
  }
  std::optional<Mbarrier> state = decodeMbarrier(lanes<uint64_t>(warp, i.rows[kTested])[lane]);
  if (!state)
    throw FaultError(FaultKind::BarrierMisuse, "the operand is no state that mbarrier.arrive gave", lane);
  return state->phase;
}

/// Lanes whose phase has completed: the current one has the other parity.
uint32_t completed(Warp &warp, const Instruction &i) {
  uint32_t done = 0;
  forEachBarrier(warp, i, [&](uint32_t address, int lane) {
    bool isDone = loadMbarrier(clusterOf(warp), address).phase != phaseAsked(warp, i, lane);
    if (isDone) observePhase(warp, address);
    if (isDone && isStrict(warp)) learnPhase(warp, address);
    done |= uint32_t(isDone) << lane;
  });
  return done;
}

void answer(Warp &warp, const Instruction &i, uint32_t done) {
  uint32_t &p = predicate(warp, i.rows[kResult]);
  p = (p & ~warp.mask) | done;
}

Outcome testWait(Warp &warp, const Instruction &i) {
  uint32_t done = completed(warp, i);
  answer(warp, i, done);
  if (done == warp.mask) return Outcome::Next;
  // A loop around test_wait never blocks, yet it waits: for warps that are held back, and for operations that
  // are kept until somebody waits.
  Cluster &cluster = clusterOf(warp);
  ++cluster.polls;
  if (gridOf(warp).options->schedule.kind == Schedule::Kind::Lazy) cluster.async.performOne(cluster);
  return Outcome::Next;
}

/// Whether the time limit ends a wait before it begins: try_wait may say false of a phase that has not
/// completed (PTX ISA 9.7.13.15.16), and a kernel that does not ask again goes on too early. Lazy: the first
/// time of each wait. Strict checks alone: who asks again and again may miss a phase (showEnd in
/// async/Mbarrier.cpp).
bool givesUp(Warp &warp) {
  if (!isStrict(warp)) return false;
  switch (gridOf(warp).options->schedule.kind) {
  case Schedule::Kind::Eager:
    return false;
  case Schedule::Kind::Lazy:
    return !std::exchange(warp.hasGivenUp, true);
  case Schedule::Kind::Sweep: // never runs itself
  case Schedule::Kind::Random:
    return nextRandom(clusterOf(warp)) % 2 == 0;
  }
  return false;
}

/// Blocks while no lane's phase has completed, up to a time limit: when nothing else can go on, the answer is
/// false (CUTLASS tries once, and goes on either way). When some phases have, the other lanes are told false
/// at once: they may wait for what the first ones do next.
Outcome tryWait(Warp &warp, const Instruction &i) {
  uint32_t done = completed(warp, i);
  WarpSplit &split = warp.split();
  uint32_t awaited = 0; // lanes that ask for what the split waits for
  if (split.token)
    forEachLane(warp, [&](int lane) {
      bool isAwaited = barrierAddress(warp, i, lane) == split.wait.address &&
                       phaseAsked(warp, i, lane) == bool(split.wait.detail);
      awaited |= uint32_t(isAwaited) << lane;
    });
  if (split.token == kHasSeenPhase) done |= awaited;
  bool isFirst = split.token == 0;
  if (isFirst && !done && givesUp(warp)) {
    answer(warp, i, 0);
    return Outcome::Next;
  }
  if (isFirst && warp.statistics) ++warp.statistics->barrierWaits;
  if (!done && !split.isTimeUp) {
    int lane = __builtin_ctz(warp.mask);
    warp.wait = {Wait::Kind::Mbarrier, "", barrierAddress(warp, i, lane),
                 uint64_t(phaseAsked(warp, i, lane))};
    split.token = kAwaitsPhase, split.isTimed = true;
    return Outcome::Blocked;
  }
  split.timeouts = done ? 0 : split.timeouts + 1;
  split.isTimed = split.isTimeUp = false;
  if (done) warp.hasGivenUp = false;
  answer(warp, i, done);
  // Who waits for this phase as well sees its end before this warp can end the next one: kernels rely on it
  // where a phase takes a copy's time. A random schedule takes no such care.
  return Outcome::Yield;
}

/// `.sem.scope.space.b64`: order and visibility come with the simulator's sequential execution.
void takeQualifiers(Decoder &d, Instruction &out, bool mayBeRemote) {
  d.takeOneOf({"release", "acquire", "relaxed"});
  d.takeOneOf({"cta", "cluster"});
  std::string_view space = d.takeOneOf({"shared", "shared::cta", "shared::cluster"});
  if (space == "shared::cluster" && !mayBeRemote) d.fail(".shared::cluster is not allowed here");
  out.small[kIsGeneric] = space.empty();
  d.ignore({"b64"});
  d.finish();
}

void requireOperands(Decoder &d, size_t least, size_t most) {
  if (d.operandCount() < least || d.operandCount() > most)
    d.fail("expected " + std::to_string(least) + " to " + std::to_string(most) + " operands, found " +
           std::to_string(d.operandCount()));
}

void decodeOnAddress(Decoder &d, Instruction &out, Handler handler, bool hasCount, bool mayBeRemote) {
  takeQualifiers(d, out, mayBeRemote);
  requireOperands(d, hasCount ? 2 : 1, hasCount ? 2 : 1);
  out.address = d.address(0);
  out.small[kHasCount] = hasCount;
  if (hasCount) out.rows[kCount] = d.read(1, kTypeB32);
  out.handler = handler;
}

void decodeArrive(Decoder &d, Instruction &out, bool isDrop) {
  bool isExpect = d.take("expect_tx"), isNoComplete = d.take("noComplete");
  takeQualifiers(d, out, !isNoComplete);
  bool needsCount = isExpect || isNoComplete;
  requireOperands(d, needsCount ? 3 : 2, 3);
  out.small[kHasResult] = !d.isSink(0);
  if (out.small[kHasResult]) out.rows[kResult] = d.write(0, kTypeB64);
  out.address = d.address(1);
  out.small[kHasCount] = d.operandCount() == 3;
  if (out.small[kHasCount]) out.rows[kCount] = d.read(2, kTypeB32);
  if (isExpect)
    out.handler = isDrop ? arrive<Arrival::DropExpect> : arrive<Arrival::Expect>;
  else if (isNoComplete)
    out.handler = isDrop ? arrive<Arrival::DropNoComplete> : arrive<Arrival::NoComplete>;
  else
    out.handler = isDrop ? arrive<Arrival::Drop> : arrive<Arrival::Plain>;
}

void decodeWait(Decoder &d, Instruction &out, bool isTry) {
  out.small[kIsParity] = d.take("parity");
  takeQualifiers(d, out, false);
  requireOperands(d, 3, isTry ? 4 : 3); // the fourth is a time limit
  out.rows[kResult] = d.write(0, kTypePredicate);
  out.address = d.address(1);
  out.rows[kTested] = d.read(2, out.small[kIsParity] ? kTypeB32 : kTypeB64);
  if (d.operandCount() == 4) d.read(3, kTypeB32);
  out.handler = isTry ? tryWait : testWait;
}

void decodeMbarrierInstruction(Decoder &d, Instruction &out) {
  if (d.take("init")) return decodeOnAddress(d, out, initialize, true, false);
  if (d.take("inval")) return decodeOnAddress(d, out, invalidate, false, false);
  if (d.take("arrive")) return decodeArrive(d, out, false);
  if (d.take("arrive_drop")) return decodeArrive(d, out, true);
  if (d.take("test_wait")) return decodeWait(d, out, false);
  if (d.take("try_wait")) return decodeWait(d, out, true);
  if (d.take("expect_tx")) return decodeOnAddress(d, out, expect, true, true);
  if (d.take("complete_tx")) return decodeOnAddress(d, out, complete, true, true);
  if (!d.take("pending_count")) d.fail("no such operation on an mbarrier");
  d.ignore({"b64"});
  d.finish();
  out.rows[kResult] = d.write(0, kTypeB32);
  out.rows[kTested] = d.read(1, kTypeB64);
  out.handler = pendingCount;
}

} // namespace

extern const Table kMbarrierInstructions;
const Table kMbarrierInstructions = {
    {"mbarrier",
     decodeMbarrierInstruction,
     Counted::Synchronization,
     Unwritten::Use,
     {Order::Own, {{"arrive", Order::Arrival}, {"arrive_drop", Order::Arrival}}}}};

} // namespace mxc::sim
