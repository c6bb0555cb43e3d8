// A file's bytes in the address space, read from the disk when they are looked at.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mxc {

/// Reading bytes of a file that something else made shorter meanwhile, or whose disk fails, ends the process
/// (SIGBUS), as with every mapped file.
class MappedFile {
public:
  MappedFile() = default; // no bytes
  /// Throws mxc::Error (InvalidInput), "cannot read <path>: ...", unless it is a regular file that can be
  /// read.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Gives back the memory that holds `part` of the bytes, whole pages of it; who reads them again waits for
  /// the disk, and nothing else changes. What lies elsewhere is left alone.
  void release(std::span<const std::byte> part) const;

private:
  std::span<const std::byte> bytes_;
};

} // namespace mxc
