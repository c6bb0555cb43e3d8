// Reads and writes tensors in files: safetensors (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include "runtime/files/FileBytes.h"
#include "runtime/files/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// `dtype` is safetensors' name ("BF16", "F8_E4M3", "U8"); `data` is the packed row-major elements, little
/// endian.
struct Tensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

/// Returns the bytes of a tensor. Throws mxc::Error (InvalidInput) on an unknown dtype, a negative size, an
/// extent beyond 2^63-1 bits, or sub-byte elements that do not fill whole bytes.
int64_t tensorBytes(std::string_view dtype, std::span<const int64_t> shape);

/// A file in memory or mapped. Its tensors' data point into it and live as long as it does.
class TensorFile {
public:
  /// Reads a file and trusts nothing in it. Throws mxc::Error (InvalidInput), naming the file, the tensor,
  /// expected and found, for anything but a well-formed safetensors file: ranges that leave the file,
  /// overlap, leave holes or disagree with shape and dtype, repeated names and so on.
  static TensorFile read(const std::string &path);
  /// Does the same without reading the tensors' data, which are mapped (MappedFile.h).
  static TensorFile map(const std::string &path);
  /// Does the same with a file's bytes, which messages call `name`.
  static TensorFile fromBytes(FileBytes bytes, const std::string &name);

  /// For a mapped file: gives back the memory of a part of a tensor's data (MappedFile::release).
  void release(std::span<const std::byte> part) const { mapped_.release(part); }

  const Tensor *find(std::string_view name) const; // null if there is none
  std::vector<std::string> names() const;          // sorted
  const std::map<std::string, Tensor, std::less<>> &tensors() const { return tensors_; }
  const std::map<std::string, std::string> &metadata() const { return metadata_; }

private:
  void parse(std::span<const std::byte> bytes, const std::string &name);

  FileBytes bytes_; // one of the two
  MappedFile mapped_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Writes a file that every safetensors reader takes: aligned data, widest dtypes first. The file appears
/// whole or not at all (runtime/files/FileWriter.h). Throws mxc::Error (InvalidInput) on an ill-formed
/// tensor (empty or repeated name, data of another size than dtype and shape make it) and on a folder that
/// cannot be written or a disk that is full.
void writeTensorFile(const std::string &path, std::span<const Tensor> tensors,
                     const std::map<std::string, std::string> &metadata = {});

} // namespace mxc
