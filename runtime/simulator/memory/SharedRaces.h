// Strict checks: two warps that touch one byte of shared memory, one of them writing, with nothing between
// that could order them: a data race (PTX ISA 8.10).
//
// Whatever may order memory (a barrier, an mbarrier, a fence, an atomic, a volatile or relaxed access,
// anything asynchronous) gives away what its warp did before, and learns what every other warp of the cluster
// has given away. That is more order than there is: some races stay unseen, but no right program is refused.
// Lanes of one warp, and accesses that are not weak, are not watched.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// Whether an instruction may order memory.
bool mayOrder(const ptx::Instruction &instruction);

void giveAway(Warp &warp); // before such an instruction
void learn(Warp &warp);    // behind it

/// A weak access to shared memory of `cta`, whose range has been checked. Throws FaultError (Race).
void noteAccess(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, bool isWrite, int lane);

/// Bytes that something asynchronous has written.
void forgetAccesses(SharedMemory &shared, uint32_t offset, uint32_t bytes);

} // namespace mxc::sim
