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
  warp.wait = {what, warp.mask, 0};
  return false;
}

/// Strict: whether all live lanes are here, at an .aligned barrier (PTX ISA 9.7.13.1: every thread of the
/// warp executes the same one). Silicon counts the lanes that come, so other checks let them arrive by
/// themselves.
inline bool gatherAligned(Warp &warp, const char *what) {
  if (!isStrict(warp) || converge(warp, ~0u)) return true;
  warp.wait = {what, warp.mask, 0};
  return false;
}

} // namespace mxc::sim
