// e4m3 and e5m2 under ue8m0 scales to bf16 by moving bits: four instructions a pair, where the hardware's
// conversions by way of f32 take six.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Sign, exponent and mantissa of a code move to their places in a bf16, which leaves a value 2^bias times
/// too small; one multiplication makes up for it and applies the scale, rounding once.
class CodesToBf16 {
public:
  CodesToBf16(const ValueBuilder &v, mlir::Type element);

  /// i1: some code is NaN or infinity, or a scale is one that this way cannot multiply by (above 2^7 for
  /// e4m3, 2^15 for e5m2; NaN). `words`: four codes each; `scales`: bytes, as i32.
  mlir::Value isSpecial(llvm::ArrayRef<mlir::Value> words, llvm::ArrayRef<mlir::Value> scales) const;

  /// The same of four scales, the bytes of an i32.
  mlir::Value isSpecial(mlir::Value fourScales) const;

  /// What pairs under one scale are multiplied by.
  mlir::Value factor(mlir::Value scale) const;

  /// Two bf16 as an i32: the lower (0) or upper (1) two codes of a word.
  mlir::Value pair(mlir::Value word, int half, mlir::Value factor) const;

  /// All pairs of some words under one scale, in the order of their codes.
  llvm::SmallVector<mlir::Value> pairs(llvm::ArrayRef<mlir::Value> words, mlir::Value scale) const;

  /// The same of special ones too, by the hardware's conversions: of codes in any vector type, of every
  /// element format and under scales of the type `scaleType`; null: ue8m0.
  llvm::SmallVector<mlir::Value> specialPairs(mlir::Value codes, mlir::Value scale,
                                              mlir::Type scaleType = {}) const;

private:
  const ValueBuilder &v_;
  mlir::Type element_;
  int shift_;          // of the code's bits below its sign, in a half whose upper byte repeats the sign
  int64_t kept_;       // of a pair
  int bias_;           // bf16's minus the format's
  int64_t special_;    // bits of a code in which only NaN and infinity are all ones
  int64_t specialOne_; // what carries out of the magnitude where they are
};

} // namespace mxc
