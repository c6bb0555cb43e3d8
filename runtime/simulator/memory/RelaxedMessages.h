// Strict checks: a word of global memory to which many threads add and from which one takes the total. Who
// sees by a relaxed access that a thread has come so far is not ordered after what that thread did before,
// neither in causality order nor, therefore, in the coherence order of another place (PTX ISA, Memory
// Consistency Model): the litmus test of message passing. So where
// - a thread has added to a word (atom and red, but for exch and cas), and then it, or another warp of its
//   cluster that is ordered after that, has written strongly to a second one, and
// - another thread, or a warp of its cluster that it is ordered after, has read that strongly,
// an exchange of the first word by the latter thread needs a release and an acquire in between, as
// GlobalOrder.h keeps them: without them it may come before the addition, take less than there is, and leave
// the addition after. No race, and no wrong value where every access is performed at once, as here; but the
// check does not depend on the schedule.
//
// Silent are an exchange by who has been told nothing, which takes what it finds; one after a strong load,
// or an atomic operation with a result, that found the addition in the word itself and may have decided; and
// who takes a lock, as exch and cas add nothing. Not watched: strong loads of the word, which may belong to
// a loop that ends when all have come; exchanges of a part of what was added to; more than kMostWrites
// threads and places in a grid.
#pragma once

#include "runtime/simulator/memory/GlobalOrder.h"

namespace mxc::sim {

/// An atomic operation or other strong access of WarpGlobalOrder::places, before it and after it. The
/// order's mutex is held. Throws FaultError (Race).
void requireMessageOrder(Warp &warp, const Instruction &instruction);
void noteMessages(Warp &warp, const Instruction &instruction);

/// Whether a strong load or atomic operation of the warp has found, or found overwritten, what that writer
/// (without kStrong) wrote strongly to the place: what the thread does next is ordered after it. Likewise.
bool hasFound(Warp &warp, uint32_t writer, uint64_t place);

} // namespace mxc::sim
