// The tensor maps of a block-scaled product, as the ABI's recipes.
#pragma once

#include "compiler/lowering/product/plan/ProductPlan.h"

namespace mxc {

/// A dimension of a map.
struct MapDimension {
  ShapeExpression size, stride; // elements, bytes; the innermost has no stride
  uint32_t box;
};
/// Innermost dimension first.
TensorMapRecipe tensorMapRecipe(std::string argument, TensorMapType type, TensorMapSwizzle swizzle,
                                llvm::ArrayRef<MapDimension> dimensions);

/// Rows of an operand or a result of the product, in boxes of 128-byte rows under the 128B swizzle. `value`
/// is the kernel's argument, of `rows` x `columns`. A box of b has rows of `boxMatrices` matrices, where
/// there are several: then coordinates are those of column, row, matrix and batch. `isPadded`: elements below
/// 8 bits take a byte each there.
TensorMapRecipe matrixMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                          const ShapeExpression &rows, const ShapeExpression &columns, uint32_t boxRows,
                          int boxMatrices = 0, bool isPadded = false);
/// The same of rows in groups, none of which a box reads or writes past its group's end: the end is the
/// tensor's edge. The rows' dimension has kGroupEdge elements; two more bring it back, as addresses wrap
/// modulo 2^64. With the group's end and the row r the coordinates are kGroupEdge - end + r, kGroupEdge and
/// end.
inline constexpr int64_t kGroupEdge = int64_t(1) << 30;
TensorMapRecipe groupedMap(mlir::Value value, const KernelSignature &signature,
                           const ShapeExpression &columns, uint32_t boxRows, bool isPadded = false);
/// The one of both that is a's or a result's.
TensorMapRecipe rowsMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                        const ShapeExpression &columns, uint32_t boxRows, bool isPadded = false);
/// Coordinates of a box in it, of rows from `row` on, of which those up to `end` are there.
llvm::SmallVector<mlir::Value> rowsCoordinates(const ValueBuilder &v, mlir::Value column, mlir::Value row,
                                               mlir::Value end, bool hasGroups);

/// The maps of every result that is a matrix.
llvm::SmallVector<TensorMapRecipe> resultMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                              uint32_t boxRows);

} // namespace mxc
