// Syntax of mx.matmul's results: what the generated parser and printer call.
#pragma once

#include "dialect/MxOps.h"

namespace mxc::mx {

/// `%c : type`, `(%codes, %scales : type, type) {axis = row}` or `%r : type {reduce = row}`, separated by
/// commas. `kinds`: a dictionary each, with `pair` where there are scales, and the clause.
mlir::ParseResult parseMatmulOuts(mlir::OpAsmParser &parser,
                                  llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &outs,
                                  llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &kinds);
void printMatmulOuts(mlir::OpAsmPrinter &p, MatmulOp op, mlir::OperandRange outs, mlir::TypeRange types,
                     mlir::ArrayAttr kinds);

} // namespace mxc::mx
