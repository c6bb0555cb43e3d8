// The tensor map of a whole matrix argument, and what all maps over arguments share.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc {

/// How the driver is told of an argument's elements.
struct MapElement {
  TensorMapType type;
  int bits;
  bool isPadded = false; // 16 of them take 16 bytes of shared memory, their codes at the beginning
  int sharedBits() const { return isPadded ? 8 : bits; }
  int alignment() const { return isPadded ? 32 : 16; } // of addresses and strides, in bytes (cuda.h)
};
/// `type` is an argument's in the ABI: bf16, f16, f32, or an element format of 8 or 4 bits.
MapElement mapElementOf(std::string_view type);
/// The same of an element format of 4 or 6 bits, padded. Boxes have 128 columns, and so many or a multiple of
/// them has the matrix.
MapElement paddedMapElementOf(std::string_view type);
inline constexpr int kPaddedColumns = 128;
/// What the driver wants of a map's address and strides: multiples of so many bytes.
int mapAlignment(TensorMapType type);

/// The stride in bytes of an argument's dimension. For a dimension with one element it may be anything; the
/// driver wants a multiple.
ShapeExpression mapStride(int dimension, const MapElement &element);

/// Boxes of boxRows x boxColumns elements of a matrix; unswizzled, zeros outside.
TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows);

} // namespace mxc
