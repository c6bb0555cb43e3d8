// The tensor map of a whole matrix argument.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc {

/// What the driver is told of a kernel argument's elements; nullopt: there is no such type.
std::optional<TensorMapType> tensorMapTypeOf(std::string_view argumentType);

/// Boxes of boxRows x boxColumns elements of a matrix of whole-byte elements; unswizzled, zeros outside.
TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows);

} // namespace mxc
