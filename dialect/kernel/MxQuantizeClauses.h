// Syntax of mx.quantize's clauses, for the generated parser and printer: `axis = row rounding = ceil ..`, in
// any order.
#pragma once

#include "dialect/kernel/Clauses.h"
#include "dialect/kernel/MxKernelOps.h"

namespace mxc::mx {

using ClauseOperand = std::optional<mlir::OpAsmParser::UnresolvedOperand>;

/// `groups(%ends : ..) gather(%index : ..) tensor_scale(%t : ..) rows(%f : ..) random(%r : ..)`; in place of
/// tensor_scale another word of TensorSense.
mlir::ParseResult parseRowClauses(mlir::OpAsmParser &parser, ClauseOperand &ends, mlir::Type &endsType,
                                  ClauseOperand &gather, mlir::Type &gatherType, ClauseOperand &tensorScale,
                                  mlir::Type &tensorScaleType, TensorSenseAttr &sense,
                                  ClauseOperand &rowValues, mlir::Type &rowValuesType, ClauseOperand &random,
                                  mlir::Type &randomType);
void printRowClauses(mlir::OpAsmPrinter &p, QuantizeOp op, mlir::Value ends, mlir::Type endsType,
                     mlir::Value gather, mlir::Type gatherType, mlir::Value tensorScale,
                     mlir::Type tensorScaleType, TensorSenseAttr sense, mlir::Value rowValues,
                     mlir::Type rowValuesType, mlir::Value random, mlir::Type randomType);

/// `tensor_scale(%t : ..)`, or another word of TensorSense
mlir::ParseResult parseTensorScale(mlir::OpAsmParser &parser, ClauseOperand &tensorScale,
                                   mlir::Type &tensorScaleType, TensorSenseAttr &sense);
void printTensorScale(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Value tensorScale,
                      mlir::Type tensorScaleType, TensorSenseAttr sense);

/// `amax(%a : ..) column_sum(%b : ..)`
mlir::ParseResult parseTotalClauses(mlir::OpAsmParser &parser, ClauseOperand &amax, mlir::Type &amaxType,
                                    ClauseOperand &columnSum, mlir::Type &columnSumType);
void printTotalClauses(mlir::OpAsmPrinter &p, QuantizeOp op, mlir::Value amax, mlir::Type amaxType,
                       mlir::Value columnSum, mlir::Type columnSumType);

mlir::ParseResult parseQuantizeClauses(mlir::OpAsmParser &parser, AxisAttr &axis,
                                       mlir::DenseI64ArrayAttr &block, mlir::DenseI64ArrayAttr &blockTo,
                                       mlir::BoolAttr &transpose, mlir::IntegerAttr &align,
                                       RoundingModeAttr &rounding, SpecialModeAttr &special,
                                       TinyModeAttr &tiny, mlir::IntegerAttr &hadamard,
                                       AxisAttr &hadamardAxis, BlockErrorAttr &fourOverSix,
                                       mlir::StringAttr &compat, mlir::ArrayAttr &tiles);
void printQuantizeClauses(mlir::OpAsmPrinter &p, QuantizeOp op, AxisAttr axis, mlir::DenseI64ArrayAttr block,
                          mlir::DenseI64ArrayAttr blockTo, mlir::BoolAttr transpose, mlir::IntegerAttr align,
                          RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
                          mlir::IntegerAttr hadamard, AxisAttr hadamardAxis, BlockErrorAttr fourOverSix,
                          mlir::StringAttr compat, mlir::ArrayAttr tiles);

/// Those of the rule: `rounding = ceil special = propagate tiny = exact compat = "te"`.
llvm::SmallVector<Clause> ruleClauses(mlir::OpAsmParser &parser, RoundingModeAttr &rounding,
                                      SpecialModeAttr &special, TinyModeAttr &tiny, mlir::StringAttr &compat);
void printRule(mlir::OpAsmPrinter &p, RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
               mlir::StringAttr compat);

/// Those of mx.dequantize: `block = 1x32 tiles = [..]`.
mlir::ParseResult parseDequantizeClauses(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &block,
                                         mlir::ArrayAttr &tiles);
void printDequantizeClauses(mlir::OpAsmPrinter &p, DequantizeOp op, mlir::DenseI64ArrayAttr block,
                            mlir::ArrayAttr tiles);

} // namespace mxc::mx
