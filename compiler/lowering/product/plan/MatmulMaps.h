// The tensor maps of a block-scaled product, as the ABI's recipes.
#pragma once

#include "compiler/lowering/entry/KernelSignature.h"
#include "compiler/lowering/product/plan/MatmulPlan.h"

namespace mxc {

/// A dimension of a map.
struct MapDimension {
  std::string size, stride; // elements, bytes; the innermost has no stride
  uint32_t box;
};
/// Innermost dimension first.
TensorMapRecipe tensorMapRecipe(std::string argument, TensorMapType type, TensorMapSwizzle swizzle,
                                llvm::ArrayRef<MapDimension> dimensions);
/// Rows of a matrix, or of a batch of them (`batches` empty: none), in boxes of 128-byte rows under the 128B
/// swizzle.
TensorMapRecipe matrixMap(std::string argument, TensorMapType type, int bytes, std::string columns,
                          std::string rows, std::string batches, uint32_t boxColumns, uint32_t boxRows);
/// Whole 512-byte tiles of scales, as 256 units of two bytes: [rows / 128][K / 128][256].
TensorMapRecipe scaleMap(std::string argument, std::string k, std::string rows, std::string batches,
                         uint32_t boxUnits, uint32_t boxTiles);

/// Of the operands and their scales where the tile loads by tensor maps, and of the results where it stores
/// by them.
llvm::SmallVector<TensorMapRecipe> matmulMaps(mx::MatmulOp op, const KernelSignature &signature,
                                              const MatmulPlan &plan);

} // namespace mxc
