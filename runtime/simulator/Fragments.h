// Lanes of a warp that part, meet, call and leave. Any of these may change Warp::fragments: references into it end here.
#pragma once

#include "runtime/simulator/Warp.h"

namespace mxc::sim {

/// Of the current fragment, `taken` go to `target`, the others to the next instruction. If both are some, they are to meet
/// at `meeting` (kNone: nowhere).
void splitFragment(Warp &warp, uint32_t taken, uint32_t target, uint32_t meeting);

/// After splitFragment: moves `lanes` of the fragment that went on to the next instruction to `target` instead.
void sendBack(Warp &warp, uint32_t lanes, uint32_t target, uint32_t meeting);

/// The executing lanes call the function at `target`; those that do not (guarded off) wait behind the call.
void enterCall(Warp &warp, uint32_t callPc, uint32_t target);
bool returnFromCall(Warp &warp); // false: the fragment is in the kernel itself

/// The current fragment arrives at its innermost join. True: all awaited lanes are there, and it goes on with them.
bool arriveAtJoin(Warp &warp);

/// The executing lanes of the current fragment are done; a fragment without lanes is removed.
void exitLanes(Warp &warp);

/// Lets fragments that wait at a join for others go on without them. False: none waits.
bool releaseParked(Warp &warp);

/// Joins whose awaited lanes have all arrived or exited.
void completeJoins(Warp &warp);

void copyResults(Warp &warp, const Instruction &callInstruction); // of a call: Control.cpp

} // namespace mxc::sim
