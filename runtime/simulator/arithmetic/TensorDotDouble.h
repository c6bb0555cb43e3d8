// The dot products of tensor cores in f64: what their own arithmetic is measured against.
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"

namespace mxc::sim {

/// As accumulate(): C and all products of one instruction are added in f64 and rounded once to nearest even.
void accumulateInDouble(Accumulator accumulator, const DotOperand &a, const DotOperand &b, uint32_t *c,
                        size_t cStride, bool readsC);

} // namespace mxc::sim
