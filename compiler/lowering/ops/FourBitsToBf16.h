// e2m1 under ue8m0 or ue4m3 scales to bf16 by moving bits: five instructions a pair, and no code and no scale
// that is special.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Sign, exponent and mantissa of a code move to their places in a bf16, which leaves a value 2^126 times too
/// small. One exact multiplication makes up for it, a second one by the scale rounds once: one by both would
/// leave bf16 under scales of 4 and more.
class FourBitsToBf16 {
public:
  /// `hasShortBlocks`: the scales are ue4m3, else ue8m0.
  FourBitsToBf16(const ValueBuilder &v, bool hasShortBlocks) : v_(v), hasShortBlocks_(hasShortBlocks) {}

  /// The scale of which codes stay as they are.
  mlir::Value one() const;
  /// What pairs under one scale, a byte as i32, are multiplied by: two bf16.
  mlir::Value factor(mlir::Value scale) const;
  /// The eight codes of a word in their order, two bf16 an i32.
  llvm::SmallVector<mlir::Value> pairs(mlir::Value word, mlir::Value factor) const;

private:
  mlir::Value times(mlir::Value pair, mlir::Value factor) const;
  mlir::Value timesPower(mlir::Value pair, int exponent) const;

  const ValueBuilder &v_;
  bool hasShortBlocks_;
};

} // namespace mxc
