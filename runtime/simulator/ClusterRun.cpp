#include "runtime/simulator/ClusterRun.h"

#include "runtime/simulator/Fragments.h"
#include "runtime/simulator/GridState.h"
#include "runtime/simulator/Trace.h"
#include "runtime/simulator/instructions/Lanes.h"
#include "runtime/simulator/memory/SharedRaces.h"

namespace mxc::sim {

/// After this many instructions of others' spinning, lanes that wait at a join go on: one of them may hold a
/// lock.
static constexpr uint64_t kPatience = 20'000;

ClusterRun::ClusterRun(Grid &grid, uint64_t index)
    : grid_(grid), cluster_(makeCluster(grid, index)), limit_(grid.options->instructionLimit) {
  const Options &options = *grid.options;
  isInstrumented_ =
      options.collectStatistics || options.checks == Checks::Strict || !options.traceFilter.empty();
  if (options.collectStatistics)
    for (auto &cta : cluster_->ctas)
      for (Warp &warp : cta->warps)
        warp.statistics = &statistics_;
}

/// The next fragment that may run, in turn; a blocked one may be tried again once a visit.
bool ClusterRun::chooseFragment(Warp &warp) {
  for (size_t tried = 0; tried < warp.fragments.size(); ++tried) {
    warp.current = (warp.current + 1) % warp.fragments.size();
    if (!warp.fragment().isParked && !warp.fragment().isBlocked) return true;
  }
  return false;
}

/// Strict checks before an instruction.
void ClusterRun::beginStrict(Warp &warp, const Instruction &i) {
  if (grid_.options->checks != Checks::Strict) return;
  warp.isOrdering = i.mayOrder;
  if (i.mayOrder) giveAway(warp);
  for (Row row : i.reads)
    if (uint32_t missing = warp.mask & ~warp.written[row.offset / 64])
      throw FaultError(FaultKind::Unwritten, "a register that nobody wrote", __builtin_ctz(missing));
  for (Row row : i.writes)
    warp.written[row.offset / 64] |= warp.mask;
}

bool ClusterRun::runWarp(Warp &warp, uint32_t budget) {
  for (Fragment &fragment : warp.fragments)
    fragment.isBlocked = false;
  if (warp.current >= warp.fragments.size() || warp.fragment().isParked) {
    warp.current = 0;
    if (!chooseFragment(warp)) return false;
  }
  const Program &program = *grid_.program;
  const Instruction *instructions = program.instructions.data();
  uint32_t executed = 0;
  while (executed < budget) {
    Fragment &fragment = warp.fragment();
    if (!fragment.joins.empty() && fragment.pc == fragment.joins.back()->pc &&
        fragment.frames.size() == fragment.joins.back()->depth) {
      if (!arriveAtJoin(warp) && !chooseFragment(warp)) break;
      continue;
    }
    const Instruction &i = instructions[fragment.pc];
    uint32_t mask = fragment.mask;
    if (i.guard != kNone) {
      uint32_t guard = predicate(warp, i.guard);
      mask &= i.isGuardNegated ? ~guard : guard;
      if (!mask) {
        ++fragment.pc;
        continue;
      }
    }
    warp.mask = mask;
    if (isInstrumented_) [[unlikely]] {
      beginStrict(warp, i);
      if (warp.statistics) {
        ++warp.opcodeCounts[i.statistic];
        statistics_.laneInstructions += uint64_t(__builtin_popcount(mask));
      }
      trace(warp, i);
    }
    Outcome outcome = i.handler(warp, i);
    if (warp.isOrdering && outcome != Outcome::Blocked) [[unlikely]]
      learn(warp);
    switch (outcome) {
    case Outcome::Next: {
      Fragment &same = warp.fragment(); // the handler may have moved it
      ++same.pc;
      same.token = 0;
      break;
    }
    case Outcome::Jump:
      warp.fragment().token = 0;
      break;
    case Outcome::Exit:
      exitLanes(warp);
      if (warp.fragments.empty()) return true;
      warp.current = warp.fragments.size() - 1;
      if (!chooseFragment(warp)) return true;
      break;
    case Outcome::Blocked:
      if (warp.statistics) --warp.opcodeCounts[i.statistic];
      warp.fragment().isBlocked = true;
      warp.fragment().wait = warp.wait;
      if (!chooseFragment(warp)) return executed != 0;
      continue;
    }
    ++executed;
    ++warp.instructions;
    Fragment &now = warp.fragment();
    if (warp.fragments.size() > 1 && ++now.executed > kPatience) {
      now.executed = 0;
      releaseParked(warp);
      chooseFragment(warp);
    }
  }
  executed_ += executed;
  if (executed_ > limit_)
    throw FaultError(FaultKind::Limit,
                     "a cluster executed " + std::to_string(limit_) + " warp instructions (MXC_SIM_LIMIT)");
  return executed != 0;
}

/// Nothing can go on: something asynchronous completes, or lanes go on without those that they wait for.
bool ClusterRun::unblock() {
  if (cluster_->async.performOne(*cluster_)) return true;
  bool released = false;
  for (auto &cta : cluster_->ctas)
    for (Warp &warp : cta->warps)
      released |= releaseParked(warp);
  return released;
}

static std::string textOf(Cluster &cluster, const Wait &wait) {
  if (wait.text) return wait.text(cluster, wait);
  char numbers[48];
  std::snprintf(numbers, sizeof numbers, " 0x%llx %llu", static_cast<unsigned long long>(wait.address),
                static_cast<unsigned long long>(wait.detail));
  return wait.what + std::string(numbers);
}

void ClusterRun::reportDeadlock() {
  std::string message = "nothing can go on";
  size_t shown = 0;
  Fault first;
  for (auto &cta : cluster_->ctas)
    for (Warp &warp : cta->warps)
      for (size_t i = 0; i < warp.fragments.size(); ++i) {
        if (++shown > 16) continue;
        const Fragment &fragment = warp.fragments[i];
        const ptx::Instruction *source = grid_.program->instructions[fragment.pc].source;
        char place[64];
        std::snprintf(place, sizeof place, "\n    CTA rank %u, warp %u, lanes %08x at line %u", cta->rank,
                      warp.index, fragment.mask, source ? source->place.line : 0);
        message += place;
        if (source) message += " (" + source->spelling() + ")";
        message += ": " + textOf(*cluster_, fragment.wait);
      }
  if (shown > 16) message += "\n    and " + std::to_string(shown - 16) + " more";
  FaultError error(FaultKind::Deadlock, message);
  error.fault.kernel = grid_.program->function->name;
  error.fault.cta = cluster_->ctas[0]->position;
  throw error;
}

ClusterRun::State ClusterRun::run(uint64_t budget) {
  uint64_t end = executed_ + budget;
  bool isRandom = grid_.options->schedule.kind == Schedule::Kind::Random;
  while (executed_ < end) {
    bool isAlive = false, goesOn = false;
    for (auto &cta : cluster_->ctas) {
      size_t count = cta->warps.size(), first = isRandom ? nextRandom(*cluster_) % count : 0;
      for (size_t i = 0; i < count; ++i) {
        Warp &warp = cta->warps[(first + i) % count];
        if (warp.fragments.empty()) continue;
        isAlive = true;
        uint32_t slice = isRandom ? uint32_t(1 + nextRandom(*cluster_) % 64) : 512;
        try {
          goesOn |= runWarp(warp, slice);
        } catch (FaultError &error) {
          Fault &fault = error.fault;
          if (fault.kernel.empty()) {
            fault.kernel = grid_.program->function->name;
            fault.cta = cta->position;
            fault.warp = int(warp.index);
            if (fault.lane >= 0) fault.thread = threadOf(warp, fault.lane);
            if (!warp.fragments.empty() && warp.current < warp.fragments.size() && !fault.line) {
              const ptx::Instruction *source = grid_.program->instructions[warp.fragment().pc].source;
              fault.line = source->place.line, fault.column = source->place.column;
            }
            if (fault.line) fault.instruction = grid_.program->module->line(fault.line);
          }
          throw;
        }
        if (!cluster_->async.isEmpty()) goesOn |= cluster_->async.tick(*cluster_);
      }
    }
    if (!isAlive) {
      finish();
      return State::Done;
    }
    if (!goesOn && !unblock()) reportDeadlock();
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
      error.fault.kernel = grid_.program->function->name;
      error.fault.cta = cta->position;
      throw;
    }
  }
}

void ClusterRun::addStatistics(Statistics &to) const {
  Statistics own = statistics_;
  for (const auto &cta : cluster_->ctas)
    for (const Warp &warp : cta->warps)
      for (size_t i = 0; i < warp.opcodeCounts.size(); ++i) {
        own.warpInstructions += warp.opcodeCounts[i];
        if (warp.opcodeCounts[i]) own.byOpcode[grid_.program->statisticNames[i]] += warp.opcodeCounts[i];
      }
  to.add(own);
}

} // namespace mxc::sim
