// The tensor map of a whole matrix argument.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc {

/// Boxes of boxRows x boxColumns elements of a matrix of bf16, f16 or f32; unswizzled, zeros outside.
TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows);

} // namespace mxc
