#include "runtime/simulator/instructions/Converge.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/WarpSplits.h"

#include <algorithm>

namespace mxc::sim {

namespace {

using Joins = std::vector<std::shared_ptr<Join>>;

bool hasSameCallers(const WarpSplit &a, const WarpSplit &b) {
  return std::ranges::equal(a.frames, b.frames, {}, &Frame::returnPc, &Frame::returnPc);
}

/// The joins that a split has yet to reach; a parked one has reached its innermost.
Joins joinsAhead(const WarpSplit &split) {
  Joins joins = split.joins;
  if (split.isParked) joins.pop_back();
  return joins;
}

/// Lanes that from now on pass the joins of `to` and not those of `from`.
void moveLanes(uint32_t lanes, const Joins &from, const Joins &to) {
  for (const std::shared_ptr<Join> &join : from)
    if (std::ranges::find(to, join) == to.end()) join->awaited &= ~lanes;
  for (const std::shared_ptr<Join> &join : to)
    join->awaited |= lanes;
}

/// Makes split `other` a part of the current one. The joins of the one with fewer remain: it has met more
/// of its lanes.
void absorb(Warp &warp, size_t other) {
  WarpSplit &current = warp.split();
  const WarpSplit &joining = warp.splits[other];
  Joins ahead = joinsAhead(joining);
  if (ahead.size() < current.joins.size()) std::swap(ahead, current.joins);
  current.mask |= joining.mask;
  moveLanes(current.mask, ahead, current.joins);
  warp.splits.erase(warp.splits.begin() + long(other));
  if (warp.current > other) --warp.current;
}

uint32_t unguarded(Warp &warp, const WarpSplit &split) {
  const Instruction &instruction = gridOf(warp).program->instructions[split.pc];
  if (instruction.guard == kNone) return split.mask;
  uint32_t guard = predicate(warp, instruction.guard);
  return split.mask & (instruction.isGuardNegated ? ~guard : guard);
}

bool gather(Warp &warp, uint32_t members) {
  bool hasMerged = false;
  for (size_t i = 0; i < warp.splits.size();) {
    const WarpSplit &current = warp.split(), &other = warp.splits[i];
    bool joins = i != warp.current && other.pc == current.pc && (other.mask & members) &&
                 hasSameCallers(other, current);
    if (joins) {
      absorb(warp, i);
      hasMerged = true;
    } else {
      ++i;
    }
  }
  if (hasMerged) {
    warp.mask = unguarded(warp, warp.split());
    completeJoins(warp); // of lanes that are awaited there no more
  }
  return (members & ~warp.split().mask) == 0;
}

} // namespace

bool converge(Warp &warp, uint32_t membermask) {
  uint32_t members = membermask & warp.liveLanes();
  if (members & ~warp.split().mask)
    if (!gather(warp, members)) return false;
  if (uint32_t idle = members & ~warp.mask; idle && isChecked(warp))
    throw FaultError(FaultKind::Divergence, "the lane is named in the membermask but guarded off",
                     __builtin_ctz(idle));
  return true;
}

bool gatherMembers(Warp &warp, uint32_t membermaskRow, const char *what) {
  const uint32_t *masks = lanes<uint32_t>(warp, membermaskRow);
  uint32_t members = 0;
  if (isStrict(warp)) // PTX ISA 9.7.9.6: undefined for a lane outside of its mask; on silicon it mostly works
    forEachLane(warp, [&](int lane) {
      if (!(masks[lane] >> lane & 1))
        report(*gridOf(warp).options, Finding::Membermask, FaultKind::Divergence,
               "the executing lane is not in its membermask", lane);
    });
  for (uint32_t seen = 0; seen != warp.mask;) { // lanes that join bring masks of their own
    seen = warp.mask;
    forEachLane(warp, [&](int lane) { members |= masks[lane]; });
    if (!converge(warp, members)) {
      warp.wait = {Wait::Kind::Lanes, what, 0, members};
      return false;
    }
  }
  return true;
}

} // namespace mxc::sim
