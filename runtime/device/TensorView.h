// A tensor in device memory that somebody else owns.
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

/// Bytes from the first to one past the last element, 0 for an empty tensor; a last partial byte counts
/// whole. Throws mxc::Error (InvalidInput) on an unknown type, a negative size or stride, strides of another
/// rank than the shape, and an extent beyond 2^63-1 bits.
int64_t extentBytes(const TensorView &view);
/// The same of sizes from 0, as many strides from 0 (or none) and elements of `bits`; nothing beyond 2^63-1
/// bits.
std::optional<int64_t> extentBytes(std::span<const int64_t> shape, std::span<const int64_t> strides,
                                   int bits);

/// "[128, 4]", for messages.
std::string shapeText(std::span<const int64_t> shape);

} // namespace mxc
