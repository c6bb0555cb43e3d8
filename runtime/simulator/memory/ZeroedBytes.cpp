#include "runtime/simulator/memory/ZeroedBytes.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

namespace mxc::sim {

static constexpr std::align_val_t kAlignment{64};
static constexpr size_t kLarge = size_t(1) << 18; // from here on a page fault is cheaper than clearing

void ReleaseZeroedBytes::operator()(std::byte *bytes) const noexcept {
  if (mappedBytes)
    munmap(bytes, mappedBytes);
  else
    ::operator delete[](bytes, kAlignment);
}

ZeroedBytes allocateZeroed(size_t bytes) {
  if (bytes < kLarge) {
    auto *start = static_cast<std::byte *>(::operator new[](bytes, kAlignment));
    std::memset(start, 0, bytes);
    return {start, {}};
  }
  void *start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte *>(start), {bytes}};
}

} // namespace mxc::sim
