// Syntax of the clauses of operations that convert what is quantized, for the generated parser and printer.
#pragma once

#include "dialect/kernel/Clauses.h"
#include "dialect/kernel/MxKernelOps.h"

namespace mxc::mx {

/// `block = 1x128 to 1x32`
mlir::ParseResult parseConvertScalesClauses(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &block,
                                            mlir::DenseI64ArrayAttr &blockTo);
void printConvertScalesClauses(mlir::OpAsmPrinter &p, ConvertScalesOp op, mlir::DenseI64ArrayAttr block,
                               mlir::DenseI64ArrayAttr blockTo);

/// `tiles = [..]`
mlir::ParseResult parseRequantizeClauses(mlir::OpAsmParser &parser, mlir::ArrayAttr &tiles);
void printRequantizeClauses(mlir::OpAsmPrinter &p, RequantizeOp op, mlir::ArrayAttr tiles);

} // namespace mxc::mx
