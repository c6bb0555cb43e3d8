// The tensor map of a whole matrix argument, and what all maps over arguments share.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc {

/// How the driver is told of an argument's elements.
struct MapElement {
  TensorMapType type;
  int bits;
};
/// `type` is an argument's in the ABI: bf16, f16, f32, or an element format of 8 or 4 bits.
MapElement mapElementOf(std::string_view type);

/// The stride in bytes of an argument's dimension. Of a dimension with one element it may be anything; the
/// driver wants a multiple of 16.
ShapeExpression mapStride(int dimension, int bits);

/// Boxes of boxRows x boxColumns elements of a matrix; unswizzled, zeros outside.
TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows);

} // namespace mxc
