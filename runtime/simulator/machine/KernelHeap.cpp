#include "runtime/simulator/machine/KernelHeap.h"

#include <algorithm>
#include <iterator>

namespace mxc::sim {

bool KernelHeap::setLimit(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (begin_ && bytes != limit_) return false;
  limit_ = bytes;
  return true;
}

uint64_t KernelHeap::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

bool KernelHeap::begin() {
  if (begin_) return true;
  begin_ = memory_.allocate(limit_, "the heap of kernels");
  if (begin_) free_[begin_] = limit_;
  return begin_ != 0;
}

uint64_t KernelHeap::allocate(uint64_t bytes, uint64_t alignment) {
  std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > limit_ || !begin()) return 0;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  alignment = std::max(alignment, kAlignment);
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    const auto [from, size] = *hole;
    const uint64_t address = (from + alignment - 1) & ~(alignment - 1), end = from + size;
    if (address >= end || end - address < bytes) continue;
    free_.erase(hole);
    if (address > from) free_[from] = address - from;
    if (end > address + bytes) free_[address + bytes] = end - address - bytes;
    used_[address] = bytes;
    return address;
  }
  return 0;
}

bool KernelHeap::release(uint64_t address) {
  std::lock_guard lock(mutex_);
  auto block = used_.find(address);
  if (block == used_.end()) return false;
  auto [begin, bytes] = *block;
  used_.erase(block);
  memory_.forget(begin, bytes);
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == begin) {
      before->second += bytes;
      return true;
    }
  }
  free_[begin] = bytes;
  return true;
}

void KernelHeap::reset() {
  std::lock_guard lock(mutex_);
  if (begin_) memory_.release(begin_);
  begin_ = 0;
  used_.clear(), free_.clear();
}

} // namespace mxc::sim
