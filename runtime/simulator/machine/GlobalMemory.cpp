#include "runtime/simulator/machine/GlobalMemory.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/HostMemory.h"
#include "runtime/simulator/report/Fault.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace mxc::sim {

static constexpr uint64_t kGapBytes = 256; // between two allocations: an access just outside one hits none
static constexpr uint64_t kPageBytes = 4096;

/// Address space that takes up memory only where it is touched, zero at first.
static void *reserve(uint64_t at, uint64_t bytes) {
  void *start = mmap(reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

GlobalMemory::GlobalMemory(uint64_t capacityBytes) : capacity_(capacityBytes / kPageBytes * kPageBytes) {
  // A wish, which the system may ignore: equal addresses in equal runs make equal reports.
  static std::atomic<uint64_t> count{0};
  uint64_t wishedBase = 0x2000'0000'0000 + (count++ % 64 << 40);
  void *memory = capacity_ ? reserve(wishedBase, capacity_) : nullptr;
  void *shadow = memory ? reserve(0, capacity_) : nullptr;
  if (!shadow) {
    if (memory) munmap(memory, capacity_);
    throw Error(ErrorKind::Device,
                "cannot reserve twice " + std::to_string(capacityBytes) +
                    " bytes of address space for the simulator's memory; raise the limit (ulimit -v)");
  }
  base_ = next_ = reinterpret_cast<uint64_t>(memory);
  shadow_ = static_cast<uint8_t *>(shadow);
  madvise(memory, capacity_, MADV_DONTDUMP);
  madvise(shadow, capacity_, MADV_DONTDUMP);
}

GlobalMemory::~GlobalMemory() {
  munmap(host(base_), capacity_);
  munmap(shadow_, capacity_);
  if (writers_) munmap(writers_, capacity_ * sizeof *writers_);
}

static uint64_t alignedUp(uint64_t address, uint64_t alignment) {
  return (address + alignment - 1) & ~(alignment - 1);
}

uint64_t GlobalMemory::allocate(uint64_t bytes, std::string name, uint64_t alignment, bool isReadOnly) {
  std::unique_lock lock(mutex_);
  alignment = std::max<uint64_t>(alignment, 1);
  if (bytes == 0 || bytes > capacity_ || (alignment & (alignment - 1)) || alignment > capacity_) return 0;
  // Where [from, limit) has room, or 0. Within the reserved range nothing overflows.
  auto place = [&](uint64_t from, uint64_t limit) -> uint64_t {
    uint64_t start = alignedUp(from, alignment);
    return start <= limit && bytes <= limit - start ? start : 0;
  };
  // After everything that ever was, while there is room: an address that is not given out again shows the
  // use of freed memory. Then the first gap that is wide enough.
  uint64_t end = base_ + capacity_;
  uint64_t address = place(next_ + kGapBytes, end);
  if (!address) {
    uint64_t from = base_ + kGapBytes;
    for (auto it = allocations_.begin(); it != allocations_.end() && !address; ++it) {
      if (it->first > kGapBytes) address = place(from, it->first - kGapBytes);
      from = it->second.end() + kGapBytes;
    }
    if (!address) address = place(from, end);
  }
  if (!address) return 0;
  ++count_;
  if (name.empty()) name = "allocation " + std::to_string(count_);
  allocations_[address] = {address, bytes, std::move(name), isReadOnly, /*isConstant=*/false};
  next_ = std::max(next_, address + bytes);
  allocatedBytes_ += bytes;
  return address;
}

/// Whole pages go back to the host, which gives them back as zeros; of the pages at the ends `bytes` are
/// zeroed.
static void discard(uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes, firstPage = alignedUp(address, kPageBytes),
           lastPage = end / kPageBytes * kPageBytes;
  auto zero = [](uint64_t from, uint64_t to) { std::memset(reinterpret_cast<void *>(from), 0, to - from); };
  if (firstPage >= lastPage) return zero(address, end);
  zero(address, firstPage);
  zero(lastPage, end);
  if (madvise(reinterpret_cast<void *>(firstPage), lastPage - firstPage, MADV_DONTNEED) != 0)
    zero(firstPage, lastPage);
}

bool GlobalMemory::release(uint64_t address) {
  std::unique_lock lock(mutex_);
  auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  // With the rest of its first and last pages, as far as no other allocation has a part of them.
  const auto next = std::next(found);
  const uint64_t before = found == allocations_.begin() ? base_ : std::prev(found)->second.end(),
                 after = next == allocations_.end() ? base_ + capacity_ : next->first,
                 begin = std::max(before, address / kPageBytes * kPageBytes),
                 end = std::min(after, alignedUp(found->second.end(), kPageBytes));
  discard(begin, end - begin);
  discard(reinterpret_cast<uint64_t>(shadow(begin)), end - begin);
  allocatedBytes_ -= found->second.bytes;
  allocations_.erase(found);
  return true;
}

const Allocation *GlobalMemory::find(uint64_t address, uint64_t bytes) const {
  std::shared_lock lock(mutex_);
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation &allocation = std::prev(after)->second;
  return allocation.holds(address, bytes) ? &allocation : nullptr;
}

void GlobalMemory::holdConstant(uint64_t address) {
  std::unique_lock lock(mutex_);
  auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin() && std::prev(after)->second.holds(address, 1))
    std::prev(after)->second.isConstant = true;
}

static std::string text(const Allocation &allocation) {
  return allocation.name + " of " + std::to_string(allocation.bytes) + " bytes at " +
         hexadecimal(allocation.address);
}

std::string GlobalMemory::describe(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto bytes = [](uint64_t count) { return std::to_string(count) + (count == 1 ? " byte " : " bytes "); };
  auto after = allocations_.upper_bound(address);
  const Allocation *below = after == allocations_.begin() ? nullptr : &std::prev(after)->second;
  const Allocation *above = after == allocations_.end() ? nullptr : &after->second;
  if (below && below->holds(address, 1)) return bytes(address - below->address) + "into " + text(*below);
  constexpr uint64_t kFarBytes = uint64_t(1) << 20; // nobody meant that allocation
  uint64_t past = below ? address - below->end() : ~uint64_t(0),
           before = above ? above->address - address : ~uint64_t(0);
  if (std::min(past, before) > kFarBytes)
    return address < kPageBytes ? "a null pointer" : "near no allocation";
  return past <= before ? bytes(past) + "after " + text(*below) : bytes(before) + "before " + text(*above);
}

void GlobalMemory::markWritten(uint64_t address, uint64_t bytes) {
  uint8_t *state = shadow(address);
  std::memset(state, kGlobalWritten, bytes);
}

void GlobalMemory::beginGrid(bool isDependent, bool isBehindGrid) {
  std::unique_lock lock(mutex_);
  if (!writers_)
    writers_ = static_cast<uint32_t *>(reserve(0, capacity_ * sizeof *writers_));
  else if (next_ > base_)
    discard(reinterpret_cast<uint64_t>(writers_), alignedUp((next_ - base_) * sizeof *writers_, kPageBytes));
  writtenState_ = kGlobalWritten | kWrittenByLatest;
  isBehindGrid &= isDependent;
  isDependent &= !isSettled_.exchange(false);
  for (const auto &[address, allocation] : allocations_) {
    uint8_t *states = shadow(address);
    for (uint64_t i = 0; i < allocation.bytes; ++i) {
      bool mayBeMissing = isDependent && states[i] & (kAwaitsGrid | kWrittenByLatest);
      mayBeMissing |=
          isBehindGrid && !allocation.isReadOnly && !allocation.isConstant && states[i] & kGlobalWritten;
      states[i] = uint8_t((states[i] & kGlobalWritten) | (mayBeMissing ? kAwaitsGrid : 0));
    }
  }
}

void GlobalMemory::forget(uint64_t address, uint64_t bytes) {
  discard(reinterpret_cast<uint64_t>(shadow(address)), bytes);
}

/// Those of the whole pages that hold [address, address + bytes) that the host has not given.
static uint64_t missingBytes(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kPages = 1 << 16; // at a time
  static thread_local std::vector<unsigned char> present(kPages);
  uint64_t missing = 0, end = alignedUp(address + bytes, kPageBytes);
  for (uint64_t at = address / kPageBytes * kPageBytes; at < end; at += kPages * kPageBytes) {
    const uint64_t pages = std::min(kPages, (end - at) / kPageBytes);
    if (mincore(reinterpret_cast<void *>(at), pages * kPageBytes, present.data()) != 0) return bytes;
    for (uint64_t i = 0; i < pages; ++i)
      missing += present[i] & 1 ? 0 : kPageBytes;
  }
  return missing;
}

void GlobalMemory::requireRoom(uint64_t address, uint64_t bytes, uint64_t budget) {
  constexpr uint64_t kUnseen = uint64_t(64) << 20; // less is not looked at each time
  if ((writtenUnseen_ += bytes) < kUnseen) return;
  writtenUnseen_ = 0;
  const uint64_t resident = residentBytes(), needed = 2 * missingBytes(address, bytes); // with the shadow
  if (resident <= budget && needed <= budget - resident) return;
  throw Error(ErrorKind::Device, "writing " + std::to_string(bytes) + " bytes of simulated memory takes " +
                                     std::to_string(needed) + " of the host's beside the " +
                                     std::to_string(resident) + " in use, the budget is " +
                                     std::to_string(budget) + " (MXC_SIM_MEMORY)");
}

} // namespace mxc::sim
