// A tensor in device memory that something else owns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc {

struct TensorView {
  uint64_t address = 0;         // in device memory
  std::string type;             // "bf16", "e4m3", "ue8m0", ... (runtime/device/ElementTypes.h)
  std::vector<int64_t> shape;   // elements
  std::vector<int64_t> strides; // elements; empty = contiguous, the last dimension innermost

  bool isEmpty() const; // some size is 0
};

/// Returns the bytes from the first element to one past the last, 0 for an empty tensor; a partial last byte
/// counts as whole. Throws mxc::Error (InvalidInput) on an unknown type, a negative size or stride, strides
/// of another rank than the shape, and an extent beyond 2^63-1 bits.
int64_t extentBytes(const TensorView &view);
/// Returns the same for elements of `bits`. Sizes are not negative, and there are as many strides or none.
/// Returns nullopt beyond 2^63-1 bits.
std::optional<int64_t> extentBytes(std::span<const int64_t> shape, std::span<const int64_t> strides,
                                   int bits);

/// Formats a shape as "[128, 4]", for messages.
std::string shapeText(std::span<const int64_t> shape);

} // namespace mxc
