// A tensor in device memory between guards, which show what a kernel leaves unwritten or writes beside it.
#pragma once

#include "dialect/formats/PackedCodes.h"
#include "runtime/device/Buffer.h"

#include <optional>
#include <string>
#include <vector>

namespace mxc {

/// Says where a tensor lies in its memory, in elements.
struct Placement {
  int64_t rowStride = 0;  // 0: contiguous rows
  int64_t offset = 0;     // of the first element from an address that is a multiple of 256 bytes
  int64_t matrixRows = 0; // from one matrix of a batch to the next; 0: those it has
};

/// The elements are 0xA5 at first. The guards, which are 256 bytes before and after and the gaps between rows
/// and matrices, differ from byte to byte, so that no repeated value passes for them.
class GuardedTensor {
public:
  /// Takes any number of dimensions, whose rows and placement are whole bytes. Throws mxc::Error as Buffer
  /// does.
  GuardedTensor(const Device &device, const std::string &type, const std::vector<int64_t> &shape,
                Placement placement = {});

  TensorView view() const;
  void upload(std::span<const std::byte> elements); // contiguous rows
  std::vector<std::byte> download() const;          // contiguous rows

  /// For an output whose right bytes are known (contiguous rows): makes every byte wrong, in sign and size
  /// too far off for any tolerance, so that an unwritten one cannot pass for right. Bytes that are
  /// `untouched` (1 for each; empty: none) become what is expected, and must stay so.
  void poisonAgainst(std::span<const std::byte> expected, std::span<const uint8_t> untouched = {});

  /// Returns the first byte of the guards that changed, counted from the first element.
  std::optional<int64_t> firstDamage() const;

private:
  int64_t rows() const; // of all dimensions but the last
  size_t bytes(int64_t elements) const { return static_cast<size_t>(storageBytes(bits_, elements)); }
  size_t rowBytes() const { return bytes(shape_.empty() ? 1 : shape_.back()); }
  size_t elementsBytes() const { return static_cast<size_t>(rows()) * rowBytes(); }
  size_t strideBytes() const { return bytes(placement_.rowStride); }
  int64_t rowsOfMatrix() const { return shape_.size() < 2 ? 1 : shape_[shape_.size() - 2]; }
  bool isContiguous() const {
    return rows() <= 1 || (strideBytes() == rowBytes() && placement_.matrixRows == rowsOfMatrix());
  }
  size_t rowStart(int64_t row) const; // from the first element, in bytes
  size_t start() const { return kGuardBytes + bytes(placement_.offset); }
  size_t extent() const;

  static constexpr size_t kGuardBytes = 256;
  std::string type_;
  std::vector<int64_t> shape_;
  Placement placement_;
  int bits_; // of an element
  Buffer buffer_;
};

} // namespace mxc
