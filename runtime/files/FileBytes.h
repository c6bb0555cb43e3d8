// A whole file in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace mxc {

struct FileBytes {
  std::unique_ptr<std::byte[]> data; // aligned for any type
  size_t size = 0;
  std::span<const std::byte> bytes() const { return {data.get(), size}; }
};

/// Reads a file (or a pipe, or a device) to its end. Throws mxc::Error (InvalidInput), "cannot read <path>:
/// ...", if it cannot be opened (OpenedFile.h) or read, exceeds `maximumBytes` or hostMemoryBudget(), or does
/// not fit into memory.
FileBytes readFile(const std::string &path, size_t maximumBytes);

} // namespace mxc
