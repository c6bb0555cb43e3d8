#include "runtime/simulator/machine/WarpSplits.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/SavedFunction.h"

#include <algorithm>

namespace mxc::sim {

void splitFragment(Warp &warp, uint32_t taken, uint32_t target, uint32_t rest, uint32_t meeting) {
  Fragment &fragment = warp.fragment();
  uint32_t others = fragment.mask & ~taken;
  if (!others || target == rest) {
    fragment.pc = target;
    return;
  }
  uint32_t depth = uint32_t(fragment.frames.size());
  // A loop that lanes leave one after another parts at the same branch again and again: they all meet behind
  // it.
  bool isSameJoin = !fragment.joins.empty() && fragment.joins.back()->pc == meeting &&
                    fragment.joins.back()->depth == depth;
  if (meeting != kNone && !isSameJoin) {
    auto join = std::make_shared<Join>();
    join->pc = meeting, join->awaited = fragment.mask, join->depth = depth;
    fragment.joins.push_back(std::move(join));
  }
  Fragment other = fragment;
  other.mask = others, other.pc = rest, other.executed = 0;
  fragment.mask = taken, fragment.pc = target, fragment.executed = 0;
  warp.fragments.push_back(std::move(other));
}

void enterCall(Warp &warp, uint32_t callPc, const FunctionPlace &function) {
  if (warp.fragment().mask != warp.mask)
    splitFragment(warp, warp.mask, function.firstInstruction, callPc + 1, callPc + 1);
  Fragment &fragment = warp.fragment();
  if (fragment.frames.size() >= 512) throw FaultError(FaultKind::Limit, "calls nested deeper than 512");
  bool isActive =
      std::ranges::any_of(fragment.frames, [&](const Frame &frame) { return frame.function == &function; });
  fragment.frames.push_back({callPc + 1, &function, {}});
  if (isActive) fragment.frames.back().saved = saveFunction(warp, function);
  fragment.pc = function.firstInstruction;
}

bool returnFromCall(Warp &warp) {
  if (warp.fragment().frames.empty()) return false;
  if (warp.fragment().mask != warp.mask) { // some stay behind a guarded return
    Fragment staying = warp.fragment();
    staying.mask &= ~warp.mask;
    ++staying.pc;
    warp.fragment().mask = warp.mask;
    warp.fragments.push_back(std::move(staying));
  }
  Fragment &fragment = warp.fragment();
  Frame frame = std::move(fragment.frames.back());
  fragment.frames.pop_back();
  fragment.pc = frame.returnPc;
  // Joins inside the function end with it: their lanes meet behind the call.
  while (!fragment.joins.empty() && fragment.joins.back()->depth > fragment.frames.size()) {
    fragment.joins.back()->awaited &= ~fragment.mask;
    fragment.joins.pop_back();
  }
  std::vector<std::byte> results = takeResults(warp, *frame.function);
  if (!frame.saved.empty()) restoreFunction(warp, *frame.function, frame.saved);
  giveResults(warp, gridOf(warp).program->instructions[frame.returnPc - 1], *frame.function, results);
  completeJoins(warp);
  return true;
}

/// Makes one fragment of all that are parked at `join` and returns it to the running.
static void merge(Warp &warp, const std::shared_ptr<Join> join) {
  size_t kept = ~size_t(0);
  for (size_t i = 0; i < warp.fragments.size();) {
    Fragment &fragment = warp.fragments[i];
    if (!fragment.isParked || fragment.joins.empty() || fragment.joins.back() != join) {
      ++i;
    } else if (kept == ~size_t(0)) {
      kept = i++;
    } else {
      warp.fragments[kept].mask |= fragment.mask;
      warp.fragments.erase(warp.fragments.begin() + long(i));
      if (warp.current > i) --warp.current;
    }
  }
  if (kept == ~size_t(0)) return;
  Fragment &whole = warp.fragments[kept];
  whole.isParked = false, whole.executed = 0;
  whole.joins.pop_back();
}

void completeJoins(Warp &warp) {
  for (bool again = true; again;) {
    again = false;
    for (const Fragment &fragment : warp.fragments) {
      if (!fragment.isParked || (fragment.joins.back()->awaited & ~warp.exited)) continue;
      merge(warp, fragment.joins.back());
      again = true;
      break;
    }
  }
}

bool arriveAtJoin(Warp &warp) {
  Fragment &fragment = warp.fragment();
  std::shared_ptr<Join> join = fragment.joins.back();
  join->awaited &= ~fragment.mask;
  fragment.isParked = true;
  if (join->awaited & ~warp.exited) return false;
  merge(warp, join);
  for (warp.current = 0; warp.current < warp.fragments.size() && warp.fragment().isParked;)
    ++warp.current;
  return warp.current < warp.fragments.size();
}

void exitLanes(Warp &warp) {
  uint32_t leaving = warp.mask;
  warp.exited |= leaving;
  warp.cta->liveThreads -= uint32_t(__builtin_popcount(leaving));
  Fragment &fragment = warp.fragment();
  fragment.mask &= ~leaving;
  if (fragment.mask)
    ++fragment.pc;
  else
    warp.fragments.erase(warp.fragments.begin() + long(warp.current));
  warp.current = 0;
  completeJoins(warp);
}

bool releaseParked(Warp &warp) {
  for (const Fragment &fragment : warp.fragments)
    if (fragment.isParked) {
      merge(warp, fragment.joins.back());
      return true;
    }
  return false;
}

} // namespace mxc::sim
