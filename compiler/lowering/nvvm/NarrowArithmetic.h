// Elements of 6 and 4 bits without conversions of the chip.
#pragma once

#include "compiler/lowering/entry/ValueBuilder.h"
#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

/// The word of eight f32's codes of 4 bits, the first in the lowest bits, or of four's of 6 bits, a byte
/// each. NaN among `values` is positive.
mlir::Value encodeByArithmetic(const ValueBuilder &v, const ElementFormatInfo &format,
                               mlir::ValueRange values);
/// The same of four vector<2xbf16>, to e2m1.
mlir::Value encodePairsByArithmetic(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> pairs);

} // namespace mxc::nvvm
