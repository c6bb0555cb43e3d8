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

/// `1x64`: rows and columns of a block.
mlir::ParseResult parseBlockShape(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &block);
/// The same of a product's operands: `1x128 by 128x128`, or one that is both's; then `blockB` stays null.
mlir::ParseResult parseBlockShapes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &blockA,
                                   mlir::DenseI64ArrayAttr &blockB);

} // namespace mxc::mx
