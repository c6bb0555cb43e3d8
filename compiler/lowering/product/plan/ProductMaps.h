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
/// is the kernel's argument, of `rows` x `columns`. A box of b has rows of `boxParts` parts, where there are
/// several: then coordinates are those of column, row, part and batch. `isPadded`: elements below 8 bits take
/// a byte each there.
TensorMapRecipe matrixMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                          const ShapeExpression &rows, const ShapeExpression &columns, uint32_t boxRows,
                          int boxParts = 0, bool isPadded = false);
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
/// The same of slabs of kStepK elements, as bytes: of elements of 4 bits, which not every chip's maps know,
/// rows of 64 bytes one behind the other.
TensorMapRecipe slabsMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                         uint32_t boxRows);
/// Coordinates of a box in it, of rows from `row` on, of which those up to `end` are there.
llvm::SmallVector<mlir::Value> rowsCoordinates(const ValueBuilder &v, mlir::Value column, mlir::Value row,
                                               mlir::Value end, bool hasGroups);

/// Whole tiles of scales of `rows` rows and `tileK` elements of K, as units of two bytes: [rows / 128][K /
/// tileK][256], `boxTilesK` along K a box; `boxParts` as matrixMap's.
TensorMapRecipe scaleMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                         const ShapeExpression &rows, uint32_t boxUnits, uint32_t boxTiles,
                         int tileK = kStepK, int boxParts = 0, uint32_t boxTilesK = 1);
/// Of every result that is a matrix.
llvm::SmallVector<TensorMapRecipe> resultMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                              uint32_t boxRows);

} // namespace mxc
