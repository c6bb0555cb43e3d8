// What passes ask of kernel-level operations and of their tiles. MxInterfaces.td is the reference.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include <map>
#include <string>

namespace mxc::mx {

enum class OperandRole {
  Data,   // elements
  Scales, // of the operand that is `partner`; of no other operand where there is only scales
  Ends,   // of groups of rows
  Index,  // a row for each row
  Amax,   // the largest magnitude
};

/// One operand of a kernel-level operation.
struct KernelOperand {
  mlir::Value value;         // a block argument of the mx.kernel
  mlir::AffineMap shape;     // its extents over the operation's dimensions: (M, K) -> (M, K ceildiv 32)
  llvm::StringRef name = {}; // the ABI's attribute that names the argument: "scales"; several: a list, "c, d"
  OperandRole role = OperandRole::Data;
  mlir::Value partner = {};
  bool isOutput = false;
  bool isRead = false; // an output that is an input as well
};

using AbiAttributes = std::map<std::string, std::string>;

} // namespace mxc::mx

#include "dialect/MxAttrInterfaces.h.inc"
#include "dialect/MxOpInterfaces.h.inc"

namespace mxc::mx {

/// The operand that `value` is, or nullopt: scalars may stand in the region alone.
std::optional<KernelOperand> kernelOperandOf(KernelOpInterface op, mlir::Value value);

/// The map of a matrix over the operation's dimensions number `row` and `column`, or of its scales, of which
/// one stands for `rowsPerScale` rows and `columnsPerScale` columns.
mlir::AffineMap matrixShape(mlir::MLIRContext *context, unsigned row = 0, unsigned column = 1,
                            int64_t rowsPerScale = 1, int64_t columnsPerScale = 1);

/// Checks the tiles of an operation: the last one has no condition.
mlir::LogicalResult verifyTiles(TiledOpInterface op, mlir::StringRef constraint);

/// Tiles as --tile gives them, with semicolons between them: each a whole attribute, or what stands inside
/// one of the first kind that the operation takes. Reports an error at `op` if one is neither.
mlir::FailureOr<llvm::SmallVector<mlir::Attribute>> parseTiles(TiledOpInterface op, mlir::StringRef text);

} // namespace mxc::mx
