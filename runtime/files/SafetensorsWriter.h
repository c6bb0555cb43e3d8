// Safetensors files whose tensors come in pieces.
#pragma once

#include "runtime/files/FileWriter.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mxc {

/// A tensor without its data.
struct TensorOutline {
  std::string name, dtype;
  std::vector<int64_t> shape;
};

/// Writes a file that every safetensors reader takes: aligned data, widest dtypes first. It appears whole
/// with commit(), or not at all (FileWriter.h). Nothing is held in memory. Every function throws mxc::Error
/// (InvalidInput): of an ill-formed tensor (an empty or repeated name, an unknown dtype), of a folder that
/// cannot be written, of a full disk.
class SafetensorsWriter {
public:
  SafetensorsWriter(const std::string &path, std::span<const TensorOutline> tensors,
                    const std::map<std::string, std::string> &metadata);

  /// Tensors by their places in the constructor's span, in the order in which they lie in the file: a file
  /// that cannot seek (a pipe) takes only that one.
  const std::vector<size_t> &order() const { return order_; }

  /// `bytes` of a tensor, from its byte `offset` on; each byte once, in any order. Bytes beyond the tensor
  /// are an error.
  void write(size_t tensor, uint64_t offset, std::span<const std::byte> bytes);

  /// Throws if bytes are missing.
  void commit();

private:
  std::string path_;
  std::vector<size_t> order_;
  std::vector<std::string> names_;
  std::vector<uint64_t> begins_, sizes_; // of each tensor in the file, and how long it is
  uint64_t missing_ = 0;
  FileWriter file_;
};

} // namespace mxc
