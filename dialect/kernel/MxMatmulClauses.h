// Syntax of mx.matmul and mx.grouped_matmul: what the generated parsers and printers call.
#pragma once

#include "dialect/kernel/Clauses.h"
#include "dialect/kernel/MxKernelOps.h"

namespace mxc::mx {

/// `%a, %scales_a, %b, %scales_b : type, type, type, type`
mlir::ParseResult parseFactors(mlir::OpAsmParser &parser, mlir::OpAsmParser::UnresolvedOperand &a,
                               mlir::OpAsmParser::UnresolvedOperand &scalesA,
                               mlir::OpAsmParser::UnresolvedOperand &b,
                               mlir::OpAsmParser::UnresolvedOperand &scalesB, mlir::Type &typeA,
                               mlir::Type &typeScalesA, mlir::Type &typeB, mlir::Type &typeScalesB);
void printFactors(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Value a, mlir::Value scalesA,
                  mlir::Value b, mlir::Value scalesB, mlir::Type typeA, mlir::Type typeScalesA,
                  mlir::Type typeB, mlir::Type typeScalesB);

/// `block = 1x128 by 128x128 reduction = any accumulate constant = b rounding = ceil tiles = [..]`, in any
/// order.
mlir::ParseResult parseMatmulClauses(mlir::OpAsmParser &parser, mlir::IntegerAttr &parts,
                                     mlir::DenseI64ArrayAttr &block, mlir::DenseI64ArrayAttr &blockB,
                                     ReductionAttr &reduction, mlir::UnitAttr &accumulate,
                                     mlir::UnitAttr &constantB, RoundingModeAttr &rounding,
                                     SpecialModeAttr &special, TinyModeAttr &tiny, mlir::StringAttr &compat,
                                     mlir::ArrayAttr &tiles);
void printMatmulClauses(mlir::OpAsmPrinter &p, MatmulOp op, mlir::IntegerAttr parts,
                        mlir::DenseI64ArrayAttr block, mlir::DenseI64ArrayAttr blockB,
                        ReductionAttr reduction, mlir::UnitAttr accumulate, mlir::UnitAttr constantB,
                        RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
                        mlir::StringAttr compat, mlir::ArrayAttr tiles);

/// `ragged = m align = 128 parts = 2 block = 1x128 by 128x128 reduction = any accumulate rounding = ceil
/// tiles = [..]`, in any order.
mlir::ParseResult parseGroupedMatmulClauses(mlir::OpAsmParser &parser, RaggedAttr &ragged,
                                            mlir::IntegerAttr &align, mlir::IntegerAttr &parts,
                                            mlir::DenseI64ArrayAttr &block, mlir::DenseI64ArrayAttr &blockB,
                                            ReductionAttr &reduction, mlir::UnitAttr &accumulate,
                                            RoundingModeAttr &rounding, SpecialModeAttr &special,
                                            TinyModeAttr &tiny, mlir::StringAttr &compat,
                                            mlir::ArrayAttr &tiles);
void printGroupedMatmulClauses(mlir::OpAsmPrinter &p, mlir::Operation *op, RaggedAttr ragged,
                               mlir::IntegerAttr align, mlir::IntegerAttr parts,
                               mlir::DenseI64ArrayAttr block, mlir::DenseI64ArrayAttr blockB,
                               ReductionAttr reduction, mlir::UnitAttr accumulate, RoundingModeAttr rounding,
                               SpecialModeAttr special, TinyModeAttr tiny, mlir::StringAttr compat,
                               mlir::ArrayAttr tiles);

/// `%c`, `(%codes, %scales) {axis = row}` or `%r {reduce = row}`, separated by commas, then all types.
/// `kinds`: a dictionary each, with `pair` where there are scales, and the clause's word.
mlir::ParseResult parseMatmulOuts(mlir::OpAsmParser &parser,
                                  llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &outs,
                                  llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &kinds);
void printMatmulOuts(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::OperandRange outs,
                     mlir::TypeRange types, mlir::ArrayAttr kinds);

} // namespace mxc::mx
