// Strict checks: what one lane of a warp did and another lane of it relies on. That the lanes of a warp run
// together is no order: bar.warp.sync is one (PTX ISA 9.7.13.2), a barrier of the CTA or the cluster, or each
// lane by itself has to release and acquire. elect.sync, shuffles and votes order nothing.
//
// Watched are generic writes of shared memory by one lane that another lane or warp accesses (requireLaneMet)
// or the async proxy reads for another one (requireLanesMet), generic reads by one lane where another one
// (requireReadsMetByWrite) or the async proxy for another one (requireReadsMetByCopy) writes, and tcgen05.ld
// of lanes for which another one arrives (TensorMemory::Load). Another warp relies on lanes that had given
// away what they did when their warp told it of that: those that come later are no use to it, whatever it
// finds (Meetings.h). More order is assumed than there is: whatever a lane executes that may release gives
// away what it did to everybody.
#pragma once

#include "runtime/simulator/memory/SharedRaces.h"

namespace mxc::sim {

/// Before an instruction that mayMeet (CheckRoles.h), after giveAway: the executing lanes give away what
/// they did. Past one that isWhole, when it is over: all lanes have.
void beginMeeting(Warp &warp);
void endMeeting(Warp &warp, Giving giving);

/// Whether `lane` of another warp has given away what that warp did when it had given away its accesses so
/// often, in time for `warp` to be ordered after that.
bool isBehindLane(Warp &warp, const Warp &other, int lane, uint32_t given);
bool isBehindLanes(Warp &warp, const Warp &other, uint32_t given); // all of them

/// An operation of the async proxy that `lane` issues is to read shared memory of `cta`, whose range has been
/// checked. Throws FaultError (Race): another lane wrote there, and has not given that away since.
void requireLanesMet(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane);

/// `lane` is to access a byte of shared memory of `cta` by the generic proxy. Throws FaultError (Race):
/// another lane wrote there, and has not given that away since; of two writes by one warp nothing is asked.
void requireLaneMet(Warp &warp, const Cta &cta, uint32_t offset, bool isWrite, int lane);

/// `lane` reads those bytes of shared memory by the generic proxy; openAccesses() has been called for it.
void noteLaneRead(Warp &warp, SharedMemory &shared, uint32_t offset, uint32_t bytes, int lane);
void forgetLaneReads(SharedMemory &shared, uint32_t offset, uint32_t bytes);
/// `lane` is to write words of them whole by the generic proxy, or issues an operation of the async proxy
/// that is to write there; their range has been checked. Throws FaultError (Race): another lane read there,
/// and has not given that away since.
void requireReadsMetByWrite(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane);
void requireReadsMetByCopy(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane);

/// The warp executes a proxy fence, for its own reads of a word and for those that it knows of. Returns
/// whether a fence has now followed every read there.
bool fenceReads(Warp &warp, SharedMemory &shared, uint32_t offset);

} // namespace mxc::sim
