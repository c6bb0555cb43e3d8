#include "runtime/simulator/run/ClusterRun.h"

#include "runtime/environment/HostMemory.h"
#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/machine/FaultPlace.h"
#include "runtime/simulator/machine/GridState.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/WarpSplits.h"
#include "runtime/simulator/machine/WgmmaRegisters.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/ReadObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"
#include "runtime/simulator/memory/UnwrittenValues.h"
#include "runtime/simulator/report/TimelineFile.h"
#include "runtime/simulator/run/DeadlockReport.h"
#include "runtime/simulator/run/Trace.h"

#include <algorithm>
#include <utility>

namespace mxc::sim {

/// After this many instructions of others' spinning, lanes that wait at a join go on: one of them may hold a
/// lock.
static constexpr uint64_t kPatience = 20'000;
/// After this many polls of memory a cluster lets others run: one of them may write what it waits for.
static constexpr uint64_t kPollsOfSlice = 4096;
/// So often a wait's time limit ends before it counts as one that nobody will end.
static constexpr uint32_t kTimeouts = 64;
static constexpr uint64_t kPolls = 128; // after so many loads of a loop something else happens

ClusterRun::ClusterRun(Grid &grid, uint64_t index)
    : grid_(grid), cluster_(makeCluster(grid, index)), limit_(grid.options->instructionLimit) {
  const Options &options = *grid.options;
  isStrict_ = options.checks == Checks::Strict;
  isAdversarial_ = isStrict_ && options.schedule.kind == Schedule::Kind::Random;
  isInstrumented_ = options.collectStatistics || isStrict_ || !options.traceFilter.empty();
  if (isAdversarial_) chooseSleepers();
  releasersFallBehind_ = isAdversarial_ && options.schedule.seed & 4;
  if (!options.featuresFile.empty()) {
    isInstrumented_ = true;
    cluster_->features = std::make_unique<Features>();
    executedOnce_.resize(grid.program->instructions.size());
  }
  if (grid.timelineFile) {
    isInstrumented_ = true;
    cluster_->timeline =
        std::make_unique<Timeline>(uint32_t(cluster_->ctas.size()), uint32_t(cluster_->ctas[0]->warps.size()),
                                   grid.program->dynamicSharedOffset, options.sharedNames, options.warpNames,
                                   grid.timelineFile->room, options.timelineWindow);
  }
  if (options.collectStatistics)
    for (auto &cta : cluster_->ctas)
      for (Warp &warp : cta->warps)
        warp.statistics = &statistics_;
}

ClusterRun::~ClusterRun() {
  if (cluster_->timeline) writeTimeline();
  recycle(std::move(cluster_));
}

/// The next split that may run, in turn; a blocked one may be tried again once a visit.
bool ClusterRun::chooseSplit(Warp &warp) {
  for (size_t tried = 0; tried < warp.splits.size(); ++tried) {
    warp.current = (warp.current + 1) % warp.splits.size();
    if (!warp.split().isParked && !warp.split().isBlocked) return true;
  }
  return false;
}

/// Whether it is a barrier of the CTA or the cluster.
static bool isBarrier(const Instruction &i) {
  return mayMeet(i.order) &&
         (i.source->opcode == "barrier" || (i.source->opcode == "bar" && !i.source->has("warp")));
}

static Giving givingOf(const Instruction &i) {
  if (!mayMeet(i.order)) return Giving::Apart;
  return isWhole(i.order) && !isBarrier(i) ? Giving::ToLanes : Giving::Lanes;
}

/// Strict checks before an instruction.
void ClusterRun::beginStrict(Warp &warp, const Instruction &i) {
  if (!isStrict_) return;
  warp.isOrdering = mayOrder(i.order);
  if (mayOrder(i.order) && !(i.globalEffect & kOrdersNothing)) {
    const Giving giving = givingOf(i);
    const bool isRetry = giving == Giving::Lanes && warp.split().token; // it has arrived
    if (mayGiveAway(i.order)) giveAway(warp, isRetry ? Giving::Apart : giving);
    if (giving == Giving::Lanes && !isRetry) beginMeeting(warp);
  }
  if (mayLearnAll(i.order) && !(i.globalEffect & ~kFences)) noteOtherOrder(warp);
  if (isBarrier(i)) meetGlobal(warp), giveGlobal(warp);
  if (i.globalEffect) beginGlobalEffect(warp, i);
  holdUnwrittenReads(warp, i);
  for (Row row : i.writes)
    warp.written[row.offset / 64] |= warp.mask;
  if (warp.wgmmaRegisters) warp.wgmmaRegisters->touch(i);
}

/// .. and after it; `mask`: of the lanes that began.
void ClusterRun::endStrict(Warp &warp, const Instruction &i, uint32_t mask, Outcome outcome) {
  if (warp.mask & ~mask) // lanes have joined, of other splits
    for (Row row : i.writes)
      warp.written[row.offset / 64] |= warp.mask;
  if (!mayOrder(i.order)) return;
  if (i.globalEffect) endGlobalEffect(warp, i);
  if (i.globalEffect & kOrdersNothing) return;
  const bool isStore = i.globalEffect & kWritesStrongly && !(i.globalEffect & kReadsStrongly);
  if (mayLearnAll(i.order) && outcome != Outcome::Blocked && !isStore && !learnsFromPlaces(warp, i))
    learn(warp);
  if (isBarrier(i) && outcome != Outcome::Blocked) learnGlobal(warp);
  const Giving giving = givingOf(i);
  if (giving == Giving::Lanes && warp.mask & ~mask) beginMeeting(warp); // those that have joined came along
  if (!isWhole(i.order) || outcome == Outcome::Blocked) return;
  endMeeting(warp, giving), meetGlobal(warp);
}

/// Whether all lanes of a warp are together, and nothing is to be watched.
bool ClusterRun::isPlain(const Warp &warp) const {
  return warp.splits.size() == 1 && warp.splits[0].joins.empty() && !isInstrumented_ && !warp.holdsUnwritten;
}

/// A plain warp goes on up to an instruction that does something else than to go on after it. False: it goes
/// nowhere, for now.
bool ClusterRun::runPlain(Warp &warp, Slice &slice) {
  const Instruction *instructions = grid_.program->instructions.data();
  WarpSplit &split = warp.splits[0]; // stays where it is as long as outcomes are Next
  while (slice.executed < slice.budget && !warp.holdsUnwritten) {
    const Instruction &i = instructions[split.pc];
    warp.mask = split.mask;
    if (i.guard != kNone) {
      const uint32_t guard = predicate(warp, i.guard);
      warp.mask &= i.isGuardNegated ? ~guard : guard;
    }
    if (warp.mask) {
      if (Outcome outcome = i.handler(warp, i); outcome != Outcome::Next) return goOn(warp, outcome, slice);
      split.token = 0;
      ++slice.executed, ++warp.instructions;
    }
    ++split.pc;
  }
  return true;
}

/// One instruction of the current split, or its join. False: the warp goes nowhere, for now.
bool ClusterRun::step(Warp &warp, Slice &slice) {
  WarpSplit &split = warp.split();
  if (!split.joins.empty() && split.pc == split.joins.back()->pc &&
      split.frames.size() == split.joins.back()->depth) {
    if (arriveAtJoin(warp)) return true;
    if (isAdversarial_ && nextRandom(*cluster_) % 4 == 0) releaseParked(warp); // meeting is no rule
    return chooseSplit(warp);
  }
  const Instruction &i = grid_.program->instructions[split.pc];
  uint32_t mask = split.mask;
  if (i.guard != kNone) {
    uint32_t guard = predicate(warp, i.guard);
    if (warp.holdsUnwritten) [[unlikely]]
      requireGuard(warp, i.guard, mask);
    mask &= i.isGuardNegated ? ~guard : guard;
    if (!mask) {
      ++split.pc;
      return true;
    }
  }
  warp.mask = mask;
  std::unique_lock<std::mutex> strongAccesses;
  if (isInstrumented_) [[unlikely]] {
    strongAccesses = holdStrongAccesses(warp, i);
    beginStrict(warp, i);
    trace(warp, i);
    if (cluster_->features) noteSpelling(i, split.pc);
  }
  Outcome outcome = warp.holdsUnwritten ? executeWithUnwritten(warp, i) : i.handler(warp, i);
  if (isStrict_) [[unlikely]]
    endStrict(warp, i, mask, outcome);
  if (strongAccesses.owns_lock()) strongAccesses.unlock();
  if (releasersFallBehind_ && i.globalEffect & kReleases) [[unlikely]]
    fallBehind(warp, slice);
  if (warp.statistics && outcome != Outcome::Blocked) [[unlikely]] { // that one will be executed again
    ++warp.opcodeCounts[i.opcode];
    statistics_.laneInstructions += uint64_t(__builtin_popcount(mask));
  }
  if (cluster_->timeline) [[unlikely]]
    outcome == Outcome::Blocked ? noteWait(warp, i) : noteExecution(warp, i);
  return goOn(warp, outcome, slice);
}

/// Where a warp goes on after an instruction. False: nowhere, for now.
bool ClusterRun::goOn(Warp &warp, Outcome outcome, Slice &slice) {
  WarpSplit &split = warp.split(); // the handler may have moved it
  if (outcome == Outcome::Blocked) {
    split.isBlocked = true;
    split.wait = warp.wait;
    return chooseSplit(warp);
  }
  ++slice.executed, ++warp.instructions;
  if (outcome == Outcome::Exit) {
    exitLanes(warp);
    if (warp.splits.empty()) {
      checkLeftBehind(warp);
      return false;
    }
    warp.current = warp.splits.size() - 1;
    if (!chooseSplit(warp)) return false;
  } else {
    if (outcome != Outcome::Jump) ++split.pc;
    split.token = 0;
    if (outcome == Outcome::Yield && grid_.options->schedule.kind != Schedule::Kind::Random)
      slice.budget = slice.executed;
  }
  WarpSplit &now = warp.split();
  if (warp.splits.size() > 1 && ++now.executed > kPatience) {
    now.executed = 0;
    releaseParked(warp);
    chooseSplit(warp);
  }
  return true;
}

/// True: something was executed.
bool ClusterRun::runWarp(Warp &warp, uint32_t budget) {
  for (WarpSplit &split : warp.splits)
    split.isBlocked = false;
  if (warp.current >= warp.splits.size() || warp.split().isParked) {
    warp.current = 0;
    if (!chooseSplit(warp)) return false;
  }
  Slice slice{budget};
  while (slice.executed < slice.budget && (isPlain(warp) ? runPlain(warp, slice) : step(warp, slice))) {
  }
  executed_ += slice.executed;
  if (executed_ > limit_)
    throw FaultError(FaultKind::Limit,
                     "a cluster executed " + std::to_string(limit_) + " warp instructions (MXC_SIM_LIMIT)");
  if (grid_.residentLimit != ~uint64_t(0)) [[unlikely]]
    checkResident();
  return slice.executed != 0;
}

/// What kernels write takes the host's memory page by page.
void ClusterRun::checkResident() {
  constexpr uint64_t kInterval = 4096; // warp instructions; one writes up to 32 pages, a bulk copy more
  if (executed_ - residentSeen_ < kInterval) return;
  residentSeen_ = executed_;
  if (residentBytes() > grid_.residentLimit)
    throw FaultError(FaultKind::Limit,
                     "the kernel's stores make the process take more of the host's memory than " +
                         std::to_string(grid_.residentLimit) + " bytes (MXC_SIM_MEMORY)");
}

static uint64_t sleeperBit(const Warp &warp) { return uint64_t(1) << (warp.index + 7 * warp.cta->rank) % 64; }

/// Under a random schedule with strict checks some warps are held back for a while, or until nobody else can
/// go on (a loop around a load waits too, and may wait for them), so that others run far ahead.
bool ClusterRun::isAsleep(const Warp &warp) const { return sleepers_ & sleeperBit(warp); }

/// .. and where the seed has its third bit, whoever has released something in global memory: others, of the
/// cluster and then of other clusters, get as far as they can by what it has told.
void ClusterRun::fallBehind(const Warp &warp, Slice &slice) {
  if (!std::exchange(hasFallenBehind_, true)) sleepers_ = 0;
  sleepers_ |= sleeperBit(warp), sleepsLong_ = true;
  pollsSeen_ = cluster_->polls;
  slice.budget = slice.executed;
}

void ClusterRun::chooseSleepers() {
  sleepers_ = nextRandom(*cluster_) & nextRandom(*cluster_);
  sleepsLong_ = nextRandom(*cluster_) % 2 == 0;
  pollsSeen_ = cluster_->polls;
  hasFallenBehind_ = false;
}

/// True: nobody went on while some were asleep; now something has happened, or they are awake.
bool ClusterRun::changeSleepers(bool goesOn) {
  constexpr uint64_t kRounds = 32; // on average
  if (goesOn) {
    bool isOver = sleepsLong_ ? cluster_->polls - pollsSeen_ > kPolls : nextRandom(*cluster_) % kRounds == 0;
    if (isOver) chooseSleepers();
    return false;
  }
  if (sleepers_ && sleepsLong_ && cluster_->async.performAwaited(*cluster_)) return true;
  sleepsLong_ = false;
  return std::exchange(sleepers_, 0) != 0;
}

/// Checks::Strict: asynchronous operations that use the shared memory of a CTA whose last thread exits. It
/// may be another's by the time that they come to it.
void ClusterRun::checkLeftBehind(Warp &warp) {
  if (!isStrict_ || warp.cta->liveThreads || cluster_->grid->options->leavesOut(Finding::ExitedCta)) return;
  if (const std::optional<RemoteUser> other = unknownRemoteUse(*warp.cta)) {
    FaultError error(FaultKind::Unfinished, Finding::ExitedCta,
                     "the CTA's last thread exits, and nothing tells it that warp " +
                         std::to_string(other->warp->index) + " of CTA rank " +
                         std::to_string(other->warp->cta->rank) +
                         (other->hasArrived ? " has arrived on an mbarrier of its shared memory"
                                            : " has accessed its shared memory") +
                         " for the last time");
    placeFault(error.fault, warp);
    throw error;
  }
  if (const std::optional<uint32_t> barrier = unknownPhase(*warp.cta)) {
    FaultError error(FaultKind::Unfinished, Finding::ExitedCta,
                     "the CTA's last thread exits, and nobody in it has seen the end of the phase in which "
                     "an asynchronous operation arrived last on the mbarrier at " +
                         sharedText(*barrier));
    error.fault.line = cluster_->order.mbarriers.at(*barrier).line;
    placeFault(error.fault, warp);
    throw error;
  }
  if (const BulkReads::Group *reads = unobservedReads(*warp.cta)) {
    FaultError error(FaultKind::Unfinished, Finding::ExitedCta,
                     "the CTA's last thread exits while lane " + std::to_string(reads->lane) + " of warp " +
                         std::to_string(reads->warp % warp.cta->warps.size()) +
                         " has not waited by cp.async.bulk.wait_group for its bulk copies to read");
    error.fault.line = reads->line;
    placeFault(error.fault, warp);
    throw error;
  }
  if (cluster_->async.isEmpty()) return;
  for (const auto &operation : cluster_->async.pending())
    if (operation->signalsCta(warp.cta->rank)) {
      FaultError error(FaultKind::Unfinished, Finding::ExitedCta,
                       "the CTA's last thread exits while " + operation->description +
                           " has yet to arrive on an mbarrier of its shared memory");
      if (operation->issuer) {
        error.fault.line = operation->line;
        placeFault(error.fault, *operation->issuer);
      }
      placeFault(error.fault, warp);
      throw error;
    }
  const std::vector<uint8_t> &states = warp.cta->shared.state;
  auto used =
      std::ranges::find_if(states, [](uint8_t state) { return (state & (kAsyncReads | kAsyncWrites)) != 0; });
  if (used == states.end()) return;
  auto own = std::ranges::find_if(cluster_->async.pending(), [&](const auto &operation) {
    return operation->issuer && operation->issuer->cta == warp.cta;
  });
  FaultError error(FaultKind::Unfinished, Finding::ExitedCta,
                   "the CTA's last thread exits while an asynchronous operation has yet to " +
                       std::string(*used & kAsyncReads ? "read" : "write") + " its shared memory (offset " +
                       std::to_string(used - states.begin() + kSharedBase) + ")");
  if (own != cluster_->async.pending().end()) {
    error.fault.line = (*own)->line;
    placeFault(error.fault, *(*own)->issuer);
  }
  placeFault(error.fault, warp);
  throw error;
}

/// Nothing can go on: something asynchronous completes, waits with a time limit end, or lanes go on without
/// those that they wait for.
bool ClusterRun::unblock() {
  if (cluster_->async.performAwaited(*cluster_)) return true;
  if (endTimedWaits()) return true;
  bool released = false;
  for (auto &cta : cluster_->ctas)
    for (Warp &warp : cta->warps)
      released |= releaseParked(warp);
  return released;
}

/// Under a lazy schedule what is pending completes when nothing else can go on. A loop around a load waits
/// too, and never stops: an operation completes after some such loads, or after rounds enough of anything.
void ClusterRun::performForSpinners(bool goesOn) {
  constexpr uint64_t kRounds = 40;
  quietRounds_ = goesOn ? quietRounds_ + 1 : 0;
  bool isAwaited = cluster_->polls - pollsSeen_ > kPolls || quietRounds_ > kRounds;
  if (!isAwaited && !cluster_->async.isEmpty()) return;
  cluster_->async.performOne(*cluster_);
  pollsSeen_ = cluster_->polls, quietRounds_ = 0;
}

/// Who was told kTimeouts times in a row that time is up only asks again.
bool ClusterRun::endTimedWaits() {
  bool isAnyUp = false;
  for (auto &cta : cluster_->ctas)
    for (Warp &warp : cta->warps)
      for (WarpSplit &split : warp.splits)
        if (split.isTimed && split.timeouts < kTimeouts) isAnyUp = split.isTimeUp = true;
  return isAnyUp;
}

ClusterRun::State ClusterRun::run(uint64_t budget) {
  uint64_t end = executed_ + budget;
  bool isRandom = grid_.options->schedule.kind == Schedule::Kind::Random,
       isLazy = grid_.options->schedule.kind == Schedule::Kind::Lazy;
  const uint64_t pollsBefore = cluster_->polls;
  while (executed_ < end) {
    bool isAlive = false, goesOn = false;
    for (auto &cta : cluster_->ctas) {
      size_t count = cta->warps.size(), first = isRandom ? nextRandom(*cluster_) % count : 0;
      for (size_t i = 0; i < count; ++i) {
        Warp &warp = cta->warps[(first + i) % count];
        if (warp.splits.empty()) continue;
        isAlive = true;
        if (isAdversarial_ && isAsleep(warp)) continue;
        uint32_t slice = isRandom ? uint32_t(1 + nextRandom(*cluster_) % 64) : 512;
        try {
          goesOn |= runWarp(warp, slice);
        } catch (FaultError &error) {
          placeFault(error.fault, warp);
          throw;
        }
        if (!cluster_->async.isEmpty()) goesOn |= cluster_->async.tick(*cluster_);
      }
    }
    if (!isAlive) {
      finish();
      return State::Done;
    }
    if (isAdversarial_ && changeSleepers(goesOn)) {
      if (!sleepers_ && std::exchange(hasFallenBehind_, false)) break;
      continue;
    }
    if (!goesOn && !unblock()) {
      FaultError error(FaultKind::Deadlock, "");
      error.fault = deadlockOf(*cluster_);
      throw error;
    }
    if (isLazy) performForSpinners(goesOn);
    if (cluster_->polls - pollsBefore > kPollsOfSlice) break;
  }
  return State::Running;
}

/// What is still under way completes: stores may be pending when the last thread exits.
void ClusterRun::finish() {
  while (cluster_->async.performOne(*cluster_)) {
  }
  if (grid_.options->checks == Checks::Off) return;
  for (auto &cta : cluster_->ctas) {
    try {
      checkTensorMemoryReleased(*cta);
    } catch (FaultError &error) {
      placeFault(error.fault, cta->warps.front());
      error.fault.warp = -1; // whichever warp it was
      throw;
    }
  }
}

void ClusterRun::addStatistics(Statistics &to) const {
  Statistics own = statistics_;
  for (const auto &cta : cluster_->ctas)
    for (const Warp &warp : cta->warps)
      for (size_t i = 0; i < warp.opcodeCounts.size(); ++i) {
        const uint64_t count = warp.opcodeCounts[i];
        const CountedOpcode &opcode = grid_.program->opcodes[i];
        if (!count) continue;
        own.warpInstructions += count;
        own.byOpcode[opcode.name] += count;
        own.byClass[std::string(nameOf(opcode.counted))] += count;
      }
  to.add(own);
}

} // namespace mxc::sim
