// The threads of a CTA: who is asking, shuffles, the CTA's barrier.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

Value threadIdX(const ValueBuilder &v); // i32
Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask);
/// The same value in all lanes, known to be so: what depends on it branches without divergence.
Value uniform(const ValueBuilder &v, Value i32);
Value shuffleFrom(const ValueBuilder &v, Value i32, int lane);   // lane's value in all lanes
Value shuffleFrom(const ValueBuilder &v, Value i32, Value lane); // of each one's own lane, modulo 32
/// The value of the lane so many before, and 0 in lanes that have none: neither takes a register.
Value shuffleUp(const ValueBuilder &v, Value i32, int distance);
/// How many lanes of the whole warp have `condition` (i1): i32.
Value countLanes(const ValueBuilder &v, Value condition);
Value largestOfWarp(const ValueBuilder &v, Value i32); // unsigned, of the whole warp
Value sumOfWarp(const ValueBuilder &v, Value i32);
Value electLane(const ValueBuilder &v);  // i1, in one lane of the warp
void syncWarp(const ValueBuilder &v);    // orders the lanes' accesses
void syncThreads(const ValueBuilder &v); // bar.sync 0 of the whole CTA

/// bar.sync of that many warps at barrier 1 to 15, which no others use.
void syncWarps(const ValueBuilder &v, int barrier, int warps);

} // namespace mxc::nvvm
