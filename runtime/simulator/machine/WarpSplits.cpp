#include "runtime/simulator/machine/WarpSplits.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/SavedFunction.h"

#include <algorithm>

namespace mxc::sim {

void partLanes(Warp &warp, uint32_t taken, uint32_t target, uint32_t rest, uint32_t meeting) {
  WarpSplit &split = warp.split();
  uint32_t others = split.mask & ~taken;
  if (!others || target == rest) {
    split.pc = target;
    return;
  }
  uint32_t depth = uint32_t(split.frames.size());
  // A loop that lanes leave one after another parts at the same branch again and again: they all meet after
  // it.
  bool isSameJoin =
      !split.joins.empty() && split.joins.back()->pc == meeting && split.joins.back()->depth == depth;
  if (meeting != kNone && !isSameJoin) {
    auto join = std::make_shared<Join>();
    join->pc = meeting, join->awaited = split.mask, join->depth = depth;
    split.joins.push_back(std::move(join));
  }
  WarpSplit other = split;
  other.mask = others, other.pc = rest, other.executed = 0;
  split.mask = taken, split.pc = target, split.executed = 0;
  warp.splits.push_back(std::move(other));
}

void enterCall(Warp &warp, uint32_t callPc, const FunctionPlace &function,
               const std::vector<ParameterPlace> &results) {
  if (warp.split().mask != warp.mask)
    partLanes(warp, warp.mask, function.firstInstruction, callPc + 1, callPc + 1);
  WarpSplit &split = warp.split();
  if (split.frames.size() >= 512) throw FaultError(FaultKind::Limit, "calls nested deeper than 512");
  bool isActive =
      std::ranges::any_of(split.frames, [&](const Frame &frame) { return frame.function == &function; });
  std::shared_ptr<const SavedFunction> saved = isActive ? saveFunction(warp, function) : nullptr;
  split.frames.push_back({callPc + 1, &function, &results, std::move(saved)});
  split.pc = function.firstInstruction;
}

bool returnFromCall(Warp &warp) {
  if (warp.split().frames.empty()) return false;
  if (warp.split().mask != warp.mask) { // some do not take a guarded return
    WarpSplit staying = warp.split();
    staying.mask &= ~warp.mask;
    ++staying.pc;
    warp.split().mask = warp.mask;
    warp.splits.push_back(std::move(staying));
  }
  WarpSplit &split = warp.split();
  Frame frame = std::move(split.frames.back());
  split.frames.pop_back();
  split.pc = frame.returnPc;
  // Joins inside the function end with it: their lanes meet after the call.
  while (!split.joins.empty() && split.joins.back()->depth > split.frames.size()) {
    split.joins.back()->awaited &= ~split.mask;
    split.joins.pop_back();
  }
  std::vector<std::byte> results = takeParameters(warp, frame.function->returns);
  if (frame.saved) restoreFunction(warp, *frame.function, *frame.saved);
  giveParameters(warp, *frame.results, results);
  completeJoins(warp);
  return true;
}

/// Makes one split of all that are parked at `join` and returns it to the running.
static void merge(Warp &warp, const std::shared_ptr<Join> join) {
  size_t kept = ~size_t(0);
  for (size_t i = 0; i < warp.splits.size();) {
    WarpSplit &split = warp.splits[i];
    if (!split.isParked || split.joins.empty() || split.joins.back() != join) {
      ++i;
    } else if (kept == ~size_t(0)) {
      kept = i++;
    } else {
      warp.splits[kept].mask |= split.mask;
      warp.splits.erase(warp.splits.begin() + long(i));
      if (warp.current > i) --warp.current;
    }
  }
  if (kept == ~size_t(0)) return;
  WarpSplit &whole = warp.splits[kept];
  whole.isParked = false, whole.executed = 0;
  whole.joins.pop_back();
}

void completeJoins(Warp &warp) {
  for (bool again = true; again;) {
    again = false;
    for (const WarpSplit &split : warp.splits) {
      if (!split.isParked || (split.joins.back()->awaited & ~warp.exited)) continue;
      merge(warp, split.joins.back());
      again = true;
      break;
    }
  }
}

bool arriveAtJoin(Warp &warp) {
  WarpSplit &split = warp.split();
  std::shared_ptr<Join> join = split.joins.back();
  join->awaited &= ~split.mask;
  split.isParked = true;
  if (join->awaited & ~warp.exited) return false;
  merge(warp, join);
  for (warp.current = 0; warp.current < warp.splits.size() && warp.split().isParked;)
    ++warp.current;
  return warp.current < warp.splits.size();
}

void exitLanes(Warp &warp) {
  uint32_t leaving = warp.mask;
  warp.exited |= leaving;
  warp.cta->liveThreads -= uint32_t(__builtin_popcount(leaving));
  WarpSplit &split = warp.split();
  split.mask &= ~leaving;
  if (split.mask)
    ++split.pc;
  else
    warp.splits.erase(warp.splits.begin() + long(warp.current));
  warp.current = 0;
  completeJoins(warp);
}

bool releaseParked(Warp &warp) {
  for (const WarpSplit &split : warp.splits)
    if (split.isParked) {
      merge(warp, split.joins.back());
      return true;
    }
  return false;
}

} // namespace mxc::sim
