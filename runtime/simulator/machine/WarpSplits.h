// Lanes of a warp that part, meet, call and leave. Any of these may change Warp::splits: references into
// it end here.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// `taken` of the current split go to `target`, the others to `rest`. If both are some, they are to meet
/// at `meeting` (kNone: nowhere).
void partLanes(Warp &warp, uint32_t taken, uint32_t target, uint32_t rest, uint32_t meeting);

/// The executing lanes call a function; those that do not (guarded off) wait after the call. What the
/// function holds is put aside where it is active already; the parameters are the caller's to copy,
/// afterwards. What it returns goes to the caller's `results`, which outlive the call.
void enterCall(Warp &warp, uint32_t callPc, const FunctionPlace &function,
               const std::vector<ParameterPlace> &results);
bool returnFromCall(Warp &warp); // false: the split is in the kernel itself

/// The current split arrives at its innermost join. True: all awaited lanes are there, and it goes on with
/// them.
bool arriveAtJoin(Warp &warp);

/// The executing lanes of the current split are done; a split without lanes is removed.
void exitLanes(Warp &warp);

/// Lets splits that wait at a join for others go on without them. False: none waits.
bool releaseParked(Warp &warp);

/// Joins whose awaited lanes have all arrived or exited.
void completeJoins(Warp &warp);

} // namespace mxc::sim
