// A tensor in device memory between guards: what a kernel leaves unwritten, or writes beside it, is noticed.
#pragma once

#include "runtime/Buffer.h"

#include <optional>
#include <string>
#include <vector>

namespace mxc {

/// Where a tensor lies in its memory, in elements.
struct Placement {
  int64_t rowStride = 0; // 0: contiguous rows
  int64_t offset = 0;    // of the first element from an address that is a multiple of 256 bytes
};

/// Every byte is 0xA5 at first: the elements, the gaps between rows, and 256 bytes in front and behind.
class GuardedTensor {
public:
  /// Any number of dimensions, of a type of whole bytes. Throws mxc::Error as Buffer does.
  GuardedTensor(const Device &device, const std::string &type, const std::vector<int64_t> &shape,
                Placement placement = {});

  TensorView view() const;
  void upload(std::span<const std::byte> elements); // contiguous rows
  std::vector<std::byte> download() const;          // contiguous rows

  /// The first byte that is no element and no longer 0xA5, counted from the first element.
  std::optional<int64_t> firstDamage() const;

private:
  int64_t rows() const; // of all dimensions but the last
  size_t rowBytes() const { return static_cast<size_t>(shape_.empty() ? 1 : shape_.back()) * elementBytes_; }
  size_t strideBytes() const { return static_cast<size_t>(placement_.rowStride) * elementBytes_; }
  bool isContiguous() const { return rows() <= 1 || strideBytes() == rowBytes(); }
  size_t start() const { return kGuardBytes + static_cast<size_t>(placement_.offset) * elementBytes_; }
  size_t extent() const;

  static constexpr size_t kGuardBytes = 256;
  std::string type_;
  std::vector<int64_t> shape_;
  Placement placement_;
  size_t elementBytes_;
  Buffer buffer_;
};

} // namespace mxc
