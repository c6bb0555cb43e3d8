// bf16 elements two a register, multiplied by powers of two: exact, but for results so small that every
// format rounds them to zero.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

namespace mxc {

/// vector<2xbf16> of two multipliers, f32 powers of two, zero or NaN.
mlir::Value packMultipliers(const ValueBuilder &v, mlir::Value low, mlir::Value high);

/// The pairs of a vector of bf16, each times `multipliers`.
llvm::SmallVector<mlir::Value> scaledPairs(const ValueBuilder &v, mlir::Value elements,
                                           mlir::Value multipliers);

} // namespace mxc
