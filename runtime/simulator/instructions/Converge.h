// Gathering the lanes that a membermask names, for .sync instructions.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// Whether all live lanes of `membermask` are in the current split. Before that, other splits with some
/// of these lanes that stand at the same instruction, with the same callers, become part of it, and
/// Warp::mask grows by their lanes. Throws FaultError (Divergence) for a lane of the split that is named
/// but guarded off.
bool converge(Warp &warp, uint32_t membermask);

/// The same for the membermasks of the executing lanes (a row of 32-bit values), which may differ. If some
/// lanes are missing it sets Warp::wait to `what`: the instruction is Blocked. Under strict checks every
/// executing lane must name itself.
bool gatherMembers(Warp &warp, uint32_t membermaskRow, const char *what);
inline bool convergeOn(Warp &warp, uint32_t membermaskRow, const char *what) {
  bool isWhole = warp.mask == warp.liveLanes(); // nobody can be missing
  return (isWhole && !isStrict(warp)) || gatherMembers(warp, membermaskRow, what);
}

} // namespace mxc::sim
