// Magnitudes of 16-bit elements, two a register: those of bf16 and f16 order like integers (NaN above Inf).
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

namespace mxc {

/// vector<2xi16>: in each half the largest magnitude of that half over `words` (i32, pairs of `element`).
/// NaN is the largest under `propagate`, else left out; halves of NaN alone are zeros. `isPacked`: of bf16 by
/// max.xorsign.abs, whose signs go at the end.
mlir::Value largestPair(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> words, mlir::Type element,
                        mx::SpecialMode special, bool isPacked);

/// The f32 bit pattern of the lower or upper half of `pair` (i32), a magnitude of `element`.
mlir::Value wideBits(const ValueBuilder &v, mlir::Value pair, mlir::Type element, bool upper);

/// A value made of `values` by a binary operation, in a tree.
mlir::Value reduceTree(llvm::ArrayRef<mlir::Value> values,
                       llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// The f32 bit pattern of the largest magnitude of f32 `values`.
mlir::Value largestBits(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> values, mx::SpecialMode special);

} // namespace mxc
