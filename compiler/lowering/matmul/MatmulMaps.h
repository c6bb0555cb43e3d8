// The tensor maps of a block-scaled product, as the ABI's recipes.
#pragma once

#include "compiler/lowering/KernelSignature.h"
#include "compiler/lowering/matmul/MatmulPlan.h"

namespace mxc {

/// A dimension of a map.
struct MapDimension {
  std::string size, stride; // elements, bytes; the innermost has no stride
  uint32_t box;
};
/// Innermost dimension first.
TensorMapRecipe tensorMapRecipe(std::string argument, TensorMapType type, TensorMapSwizzle swizzle,
                                llvm::ArrayRef<MapDimension> dimensions);

/// Of the operands and their scales where the tile loads by tensor maps, and of the results where it stores
/// by them.
llvm::SmallVector<TensorMapRecipe> matmulMaps(mx::MatmulOp op, const KernelSignature &signature,
                                              const MatmulPlan &plan);

} // namespace mxc
