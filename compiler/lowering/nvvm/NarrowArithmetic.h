// Elements of 6 and 4 bits without conversions of the chip.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

/// The word of four f32's codes of 6 bits, a byte each. NaN among `values` is positive.
mlir::Value encodeSixBits(const ValueBuilder &v, const ElementFormatInfo &format, mlir::ValueRange values);
/// The word of the codes of e2m1 of eight f32, the first in the lowest bits, times `multiplier` (null: 1),
/// each product rounded to f32. `signs`: of pairs of them, in bits 15 and 31. No product is NaN but by the
/// multiplier, which gives the largest code.
mlir::Value encodeFourBits(const ValueBuilder &v, mlir::ValueRange values, llvm::ArrayRef<mlir::Value> signs,
                           mlir::Value multiplier);
/// The same, rounded by random bits: a word for four of the values, of which they have bytes 0, 2, 1 and 3.
mlir::Value encodeFourBits(const ValueBuilder &v, mlir::ValueRange values, llvm::ArrayRef<mlir::Value> signs,
                           mlir::Value multiplier, llvm::ArrayRef<mlir::Value> random);
/// The same as the first of four vector<2xbf16>. NaN among `pairs` is positive.
mlir::Value encodePackedFourBits(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> pairs);

} // namespace mxc::nvvm
