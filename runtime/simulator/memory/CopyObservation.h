// Strict checks: who relies on bytes that an asynchronous operation wrote to shared memory must know that it
// has completed, and only the operation's own mbarrier tells that: it is the completion mechanism that the
// instruction names. A warp knows it when its test_wait or try_wait has said so of that phase, or when it has
// learned it from one that knew, by the order of SharedRaces.h. That the bytes are there is no knowledge:
// under an eager schedule they always are.
//
// The same of responses of clusterlaunchcontrol.try_cancel. Who reads one through the generic proxy must
// execute a proxy fence before the async proxy writes the next response there, as the PTX ISA's example of
// clusterlaunchcontrol.try_cancel does.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// An operation has written those bytes, whose range has been checked, and is about to complete transactions
/// of the mbarrier. Both are 32-bit shared addresses.
void noteCopied(Cluster &cluster, uint32_t address, uint32_t bytes, uint32_t barrier);
/// A phase of an mbarrier ends.
void endCopyPhase(Cluster &cluster, uint32_t barrier);
/// A warp is told that the phase before the current one has ended.
void observePhase(Warp &warp, uint32_t barrier);

/// An access to shared memory of `cta` in the order of `warp`, whose range has been checked. Throws
/// FaultError (Unfinished).
void requireObserved(Warp &warp, const Cta &cta, uint32_t offset, uint32_t bytes, int lane);
/// Those bytes hold something else now.
void forgetCopies(SharedMemory &shared, uint32_t offset, uint32_t bytes);

/// Bytes of a response: written; read through the generic proxy; about to be written again. Throws FaultError
/// (ProxyOrder).
void noteResponse(Cluster &cluster, uint32_t address, uint32_t bytes);
void noteResponseRead(SharedMemory &shared, uint32_t offset, uint32_t bytes);
void requireResponseFenced(Warp &warp, uint32_t address, uint32_t bytes, int lane);

} // namespace mxc::sim
