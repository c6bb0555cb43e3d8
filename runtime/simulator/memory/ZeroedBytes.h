// Zeroed memory that costs what is touched of it.
#pragma once

#include <cstddef>
#include <memory>

namespace mxc::sim {

struct ReleaseZeroedBytes {
  size_t mappedBytes = 0; // 0: of the heap
  void operator()(std::byte *bytes) const noexcept;
};
using ZeroedBytes = std::unique_ptr<std::byte[], ReleaseZeroedBytes>;

/// `bytes` zeros at a multiple of 64. Large blocks are pages that the system hands out when they are touched:
/// a warp of a warp-specialized kernel touches few of the kernel's registers. Throws std::bad_alloc.
ZeroedBytes allocateZeroed(size_t bytes);

} // namespace mxc::sim
