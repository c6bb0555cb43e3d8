// bf16 elements two a register, multiplied by powers of two: exact, but for results so small that every
// format rounds them to zero.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

namespace mxc {

/// A value of 32 bits that is half a register, shifted to the upper half of its own.
struct Half {
  mlir::Value pair; // i32
  bool isUpper;
};
std::optional<Half> halfOf(mlir::Value wide);
/// The register (i32) of which `low` is the lower half and `high` the upper one, both as numbers; else null.
mlir::Value pairOfHalves(mlir::Value low, mlir::Value high);

/// Whether an operation's multipliers are powers of two, or zero or NaN: its scales', which only then are for
/// these pairs.
template <typename Op> bool hasPowerOfTwoScale(Op op) {
  return info(*mx::scaleFormatOf(op.getScale())).rule == ScaleRule::PowerOfTwo;
}

/// A fragment of codes, vector<n x i32>, of i16 pairs of codes; zeros where pairs do not fill the last word.
/// `before`: where they become words; null: here.
mlir::Value wordsOfPairs(const ValueBuilder &v, mlir::Type words, llvm::ArrayRef<mlir::Value> pairs,
                         mlir::Operation *before = nullptr);

/// vector<2xbf16> of two multipliers, f32 powers of two, zero or NaN.
mlir::Value packMultipliers(const ValueBuilder &v, mlir::Value low, mlir::Value high);

/// The pairs of a vector of bf16, each times `multipliers`.
llvm::SmallVector<mlir::Value> scaledPairs(const ValueBuilder &v, mlir::Value elements,
                                           mlir::Value multipliers);

} // namespace mxc
