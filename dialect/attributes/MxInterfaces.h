// What passes ask of kernel-level operations and of their tiles. MxInterfaces.td is the reference.
#pragma once

#include "dialect/formats/BlockScale.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include <map>
#include <string>

namespace mxc::mx {

/// What an operand is to its operation. The ABI's roles, in its order (static_assert in KernelSignature.cpp).
enum class OperandRole {
  Data,        // values
  Codes,       // quantized elements; their blocks lie along rows
  ColumnCodes, // the same values quantized with blocks along columns
  Scales,      // of the operand that is `partner`; of none where there are only scales
  Left,        // codes of a product's rows
  Right,       // codes of a product's columns
  Product,     // sums of products, added in an order that a tile chooses
  Index,       // rows of `partner`: one, or a number of them, for each row
  Ends,        // where the groups of `partner`'s rows end
  Amax,        // the largest magnitude
  ColumnSum,   // the sums of columns
  TensorScale, // f32 [1]: the scale of all of `partner`, above its blocks'
  Alpha,       // f32 [1]: what a product's sums are multiplied by
  Inexact,     // i64 [1]: how many scales or elements were not kept, added to what it held
  Error,       // f32 [1]: the largest relative error of these, or what it held
  RowValues,   // f32 [rows]: one for each row of `partner`
  Random,      // i64 [2]: the seed and the offset of random bits
};

/// One operand of a kernel-level operation. Those of one role come in the operation's order.
struct KernelOperand {
  mlir::Value value;     // a block argument of the mx.kernel
  mlir::AffineMap shape; // its extents over the operation's dimensions: (M, K) -> (M, K ceildiv 32)
  OperandRole role = OperandRole::Data;
  mlir::Value partner = {};
  bool isOutput = false;
  bool isRead = false;         // an output that is an input as well
  bool isConstant = false;     // an input that no grid writes which may run when this one starts
  int64_t groupRows = 0;       // of ends: groups begin at multiples of so many rows
  unsigned groupDimension = 0; // of ends: the dimension of `partner` that is cut
};

/// The multiply-adds of an operation: one for each point of `dimensions`, of each of its products.
struct MultiplyAdds {
  std::string kind = {}; // the elements that are multiplied: "e4m3 x e5m2"
  llvm::SmallVector<llvm::StringRef> dimensions = {};
  int64_t products = 1;
};

using AbiAttributes = std::map<std::string, std::string>;

std::string printedText(mlir::Attribute attribute);

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
