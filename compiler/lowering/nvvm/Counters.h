// Counters in global memory through which warps of different CTAs hand work to each other.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

/// One lane: adds 1 and returns what was there (i32). Orders nothing, or all before it and all after it.
Value countUp(const ValueBuilder &v, Value counter, bool orders = false);
/// One lane: adds 1 after all that this lane, and whoever synchronised with it, did before.
void publishCount(const ValueBuilder &v, Value counter);
/// The count (i32); what was done before it was published is visible after it.
Value acquireCount(const ValueBuilder &v, Value counter);

/// One lane: the word (i32, unsigned) becomes at least `least`. Orders nothing.
void raiseTo(const ValueBuilder &v, Value word, Value least);
/// One lane: adds to a number of 64 bits. Orders nothing.
void addTo(const ValueBuilder &v, Value number, Value i64);
/// One lane: the word (i32), which becomes 0. Orders nothing.
Value takeAway(const ValueBuilder &v, Value word);

/// Plain accesses of global memory before it come before bulk copies after it, and the other way round.
void fenceProxyAsyncGlobal(const ValueBuilder &v);

/// Bit l: lane l's value of `condition`.
Value ballot(const ValueBuilder &v, Value condition);

} // namespace mxc::nvvm
