// Instructions that a whole warp executes together: .sync.aligned without a membermask.
#pragma once

#include "runtime/simulator/instructions/Converge.h"

namespace mxc::sim {

/// Whether all 32 lanes are here. False: Warp::wait is set to `what`, the instruction is Blocked. Throws
/// FaultError (Divergence) if some never will be.
inline bool gatherWholeWarp(Warp &warp, const char *what) {
  if (warp.liveLanes() != ~0u)
    throw FaultError(FaultKind::Divergence,
                     std::string(what) + " needs all 32 lanes of a warp; some are gone");
  if (converge(warp, ~0u)) return true;
  warp.wait = {Wait::Kind::Lanes, what, 0, ~0u};
  return false;
}

/// Whether all live lanes are at an .aligned instruction that hardware executes with those that are there:
/// strict checks alone hold the kernel to it, after other splits that stand here have joined. False as
/// above.
inline bool gatherAligned(Warp &warp, const char *what) {
  if (!isStrict(warp) || warp.mask == warp.liveLanes() || converge(warp, ~0u)) return true;
  if (gridOf(warp).options->leavesOut(Finding::Aligned)) return true;
  warp.wait = {Wait::Kind::Lanes, what, 0, warp.liveLanes(), nullptr, /*isByStrictChecks=*/true};
  return false;
}

} // namespace mxc::sim
