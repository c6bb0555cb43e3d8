// Holds what a kernel is called with against its ABI. No device, no driver.
#pragma once

#include "runtime/ArgumentShapes.h"

namespace mxc {

/// A checked argument. Pointers are into the ABI and the caller's arguments.
struct BoundArgument {
  const AbiArgument *abi = nullptr;
  const TensorView *view = nullptr;
  int64_t rows = 0, columns = 0; // elements; ScaleTcgen05: 1 x bytes
  int64_t rowStride = 0;         // elements
  int bits = 0;                  // an element's
  int64_t bytes = 0;             // extent

  bool hasRowStride() const { return rows > 1; } // with one row the stride is never used
  int64_t rowStrideBytes() const { return rowStride * bits / 8; }
};

/// The arguments in the ABI's order. Throws mxc::Error (InvalidInput) naming kernel, argument, expected,
/// found:
///   names    one is missing (unknown and repeated ones: solveDimensions)
///   type     must be the ABI's; "u8" stands in for "ue8m0"
///   shape    must be what the dimensions make it (argumentShape)
///   strides  innermost 1; the row stride as the ABI says: contiguous, any not below the columns, or one
///            value. Sizes of 0 and 1 make a stride meaningless, and it is then not looked at
///   address  a multiple of the ABI's alignment and of the element; null only with no bytes; its range must
///            lie within 64 bits
///   overlap  an output's byte range, first to last element, meets no other argument's
std::vector<BoundArgument> bindArguments(const KernelAbi &kernel, const Arguments &arguments,
                                         const Dimensions &dimensions);

} // namespace mxc
