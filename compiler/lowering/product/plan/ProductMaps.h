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
/// is the kernel's argument, of `rows` x `columns`.
TensorMapRecipe matrixMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                          const ShapeExpression &rows, const ShapeExpression &columns, uint32_t boxRows);
/// Whole tiles of scales of `rows` rows and `tileK` elements of K, as units of two bytes: [rows / 128][K /
/// tileK][256].
TensorMapRecipe scaleMap(mlir::Value value, const KernelSignature &signature, const ProductExtents &extents,
                         const ShapeExpression &rows, uint32_t boxUnits, uint32_t boxTiles,
                         int tileK = kStepK);
/// Of every result.
llvm::SmallVector<TensorMapRecipe> resultMaps(mx::MatmulOp op, const KernelSignature &signature,
                                              uint32_t boxRows);

} // namespace mxc
