// Checks what a kernel is called with against its ABI, without a device or driver.
#pragma once

#include "dialect/formats/PackedCodes.h"
#include "runtime/launch/ArgumentShapes.h"

#include <array>
#include <span>

namespace mxc {

/// Where an argument lies: its bytes from the first element to one past the last. None: a scalar, or a
/// workspace that the runtime provides.
struct ArgumentRange {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool isWritten = false; // an output or a workspace: it may meet no other argument
  // For a matrix whose rows lie apart: so many bytes of each, and from one to the next. 0: for no such
  // matrix.
  int64_t rowBytes = 0, rowStride = 0;

  bool meets(const ArgumentRange &other) const {
    return bytes && other.bytes && address < other.address + static_cast<uint64_t>(other.bytes) &&
           other.address < address + static_cast<uint64_t>(bytes) && !liesInGapsOf(other);
  }

private:
  /// Columns of one matrix beside the other's.
  bool liesInGapsOf(const ArgumentRange &other) const {
    if (!rowStride || rowStride != other.rowStride) return false;
    const uint64_t stride = static_cast<uint64_t>(rowStride);
    const ArgumentRange &first = address < other.address ? *this : other,
                        &second = address < other.address ? other : *this;
    const uint64_t between = (second.address - first.address) % stride;
    return between >= static_cast<uint64_t>(first.rowBytes) &&
           between + static_cast<uint64_t>(second.rowBytes) <= stride;
  }
};

/// A checked argument. Its pointers point into the ABI and the caller's arguments.
struct BoundArgument {
  const AbiArgument *abi = nullptr;
  const TensorView *view = nullptr; // null: a workspace that the caller left to the runtime, or a scalar
  size_t rank = 0;                  // of a tensor as it lies in memory
  std::array<int64_t, 5> sizes{}, strides{}; // elements
  int bits = 0;                              // an element's
  int64_t bytes = 0;                         // extent
  uint64_t scalar = 0;                       // a scalar's bits, the type's low ones

  uint64_t address() const { return view ? view->address : 0; }
  /// Returns whether a dimension's stride is ever used: not if no element has an index above 0 in it.
  bool hasStride(size_t dimension) const { return sizes[dimension] > 1; }
  ArgumentRange range() const;
  int64_t strideBytes(size_t dimension) const { return storageBytes(bits, strides[dimension]); }
};

/// Returns the arguments in the ABI's order. Throws mxc::Error (InvalidInput), naming kernel, argument,
/// expected and found, if one breaks a rule:
///   names    one is missing (unknown and repeated ones: solveDimensions); workspaces may be
///   type     must be one that the ABI's stands for (acceptsType)
///   shape    must be what the dimensions make it (argumentShape)
///   strides  as the ABI says: contiguous, any not below the extent of the inner dimensions, or one value.
///            Sizes of 0 and 1 make a stride meaningless, and it is then not looked at
///   address  a multiple of the ABI's alignment and of the element; null only with no bytes; its range must
///            lie within 64 bits
///   scalars  a number of the type and in its range
///   overlap  an output's byte range, first to last element, meets no other argument's; but two matrices with
///            one row stride may have columns side by side
/// A workspace's size is checked with the launch (planLaunch): it may depend on the device.
std::vector<BoundArgument> bindArguments(const KernelAbi &kernel, const Arguments &arguments,
                                         const Dimensions &dimensions);

} // namespace mxc
