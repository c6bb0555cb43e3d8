// Syntax of mx.quantize's clauses, for the generated parser and printer: `axis = row rounding = ceil ..`, in
// any order.
#pragma once

#include "dialect/MxOps.h"

namespace mxc::mx {

mlir::ParseResult parseQuantizeClauses(mlir::OpAsmParser &parser, AxisAttr &axis, mlir::BoolAttr &transpose,
                                       mlir::IntegerAttr &align, RoundingModeAttr &rounding,
                                       SpecialModeAttr &special, TinyModeAttr &tiny, mlir::StringAttr &compat,
                                       mlir::ArrayAttr &tiles);
void printQuantizeClauses(mlir::OpAsmPrinter &p, QuantizeOp op, AxisAttr axis, mlir::BoolAttr transpose,
                          mlir::IntegerAttr align, RoundingModeAttr rounding, SpecialModeAttr special,
                          TinyModeAttr tiny, mlir::StringAttr compat, mlir::ArrayAttr tiles);

} // namespace mxc::mx
