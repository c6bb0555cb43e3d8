// The heap of malloc in kernels: one allocation of device memory, made at the first malloc. Its blocks are
// known here and not in it, so that no store of a kernel can damage them.
#pragma once

#include "runtime/simulator/machine/GlobalMemory.h"

#include <map>
#include <mutex>

namespace mxc::sim {

class KernelHeap {
public:
  static constexpr uint64_t kDefaultLimit = 8 << 20; // cudaLimitMallocHeapSize

  explicit KernelHeap(GlobalMemory &memory) : memory_(memory) {}
  ~KernelHeap() { reset(); }
  KernelHeap(const KernelHeap &) = delete;

  bool setLimit(uint64_t bytes); // false: a kernel has used the heap, its size stays
  uint64_t limit() const;

  /// The address of a block whose bytes nobody has written; 0: no room is left, or 0 bytes.
  uint64_t allocate(uint64_t bytes, uint64_t alignment = kAlignment);
  bool release(uint64_t address); // false: no block begins there. Its bytes are unwritten again
  void reset();                   // all blocks are gone

private:
  static constexpr uint64_t kAlignment = 16;
  bool begin();

  GlobalMemory &memory_;
  mutable std::mutex mutex_;
  uint64_t limit_ = kDefaultLimit, begin_ = 0; // begin_ 0: nobody has asked for memory
  std::map<uint64_t, uint64_t> used_, free_;   // bytes by address; neighbours in free_ are one
};

} // namespace mxc::sim
