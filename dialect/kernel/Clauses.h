// Clauses of kernel-level operations: `rounding = ceil tiles = [..]`, in any order, each at most once.
#pragma once

#include "mlir/IR/OpImplementation.h"

#include <functional>

namespace mxc::mx {

/// Its keyword, and what reads the rest of it.
struct Clause {
  llvm::StringRef keyword;
  std::function<mlir::ParseResult()> parse;
};

/// `keyword = ` and what `parse` reads.
Clause valueClause(mlir::OpAsmParser &parser, llvm::StringRef keyword,
                   std::function<mlir::ParseResult()> parse);

/// A keyword that stands elsewhere in the operation, and where: "before 'outs'".
struct ClauseElsewhere {
  llvm::StringRef keyword, place;
};

/// Reads the clauses, and refuses every other word that follows, with the words that there are.
mlir::ParseResult parseClauses(mlir::OpAsmParser &parser, llvm::ArrayRef<Clause> clauses,
                               llvm::ArrayRef<ClauseElsewhere> elsewhere = {});

/// Refuses a word that follows an operation without clauses. An operand, as ODS wants something there.
mlir::ParseResult parseNoClauses(mlir::OpAsmParser &parser, mlir::OpAsmParser::UnresolvedOperand operand);
inline void printNoClauses(mlir::OpAsmPrinter &, mlir::Operation *, mlir::Value) {}

/// A region that may be missing; what stands between its braces must not.
mlir::ParseResult parseScalarRegion(mlir::OpAsmParser &parser, mlir::Region &region);
void printScalarRegion(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Region &region);

/// `1x64`: rows and columns of a block.
mlir::ParseResult parseBlockShape(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &block);
/// The same of a product's operands: `1x128 by 128x128`, or one that is both's; then `blockB` stays null.
mlir::ParseResult parseBlockShapes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &blockA,
                                   mlir::DenseI64ArrayAttr &blockB);
/// `1x128 to 1x32`, or with `isOptional` the first alone.
mlir::ParseResult parseBlockChange(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &from,
                                   mlir::DenseI64ArrayAttr &to, bool isOptional = false);

} // namespace mxc::mx
