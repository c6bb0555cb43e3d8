// Device memory: one reserved range of the host's address space. A device address is the host's own address
// in it, so that an access needs no translation; what may be accessed is what the allocations cover.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>

namespace mxc::sim {

struct Allocation {
  uint64_t address = 0, bytes = 0;
  std::string name;        // "allocation 3", "__mxc_abi": for reports
  bool isReadOnly = false; // for kernels: a module's .const variable
  bool isConstant = false; // of no grid in front: isBehindGrid
  uint64_t end() const { return address + bytes; }
  bool holds(uint64_t at, uint64_t size) const {
    return at >= address && size <= bytes && at - address <= bytes - size;
  }
};

/// What is known of a byte.
enum GlobalState : uint8_t {
  kGlobalWritten = 1,
  kWrittenByLatest = 4, // grid that was launched
  kAwaitsGrid = 8,      // only who waits for the grids in front (griddepcontrol.wait) may touch it
};

class GlobalMemory {
public:
  explicit GlobalMemory(
      uint64_t capacityBytes); // reserved, not committed. Throws mxc::Error (Device) if that fails
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;

  /// 512-byte aligned, or to `alignment`. 0: no room is left. At least 256 unallocated bytes lie between two
  /// allocations.
  uint64_t allocate(uint64_t bytes, std::string name, uint64_t alignment = 512, bool isReadOnly = false);
  bool release(uint64_t address); // false: no allocation begins there. Its pages go back to the host

  /// The allocation that holds all of [address, address + bytes); null if there is none. The pointer stays
  /// valid until the allocation is released (which no running kernel may see).
  const Allocation *find(uint64_t address, uint64_t bytes) const;
  std::string
  describe(uint64_t address) const; // "3 bytes after allocation 2 of 4096 bytes at 0x..", for reports

  std::byte *host(uint64_t address) const { return reinterpret_cast<std::byte *>(address); }

  /// One byte of state for each byte of memory, at a fixed distance. (Checks::Standard and up.)
  uint8_t *shadow(uint64_t address) const { return shadow_ + (address - base_); }
  void markWritten(uint64_t address, uint64_t bytes); // by the host
  void forget(uint64_t address, uint64_t bytes);      // nobody wrote them

  /// Checks::Strict: what the grid writes that now begins is told apart. What grids before it wrote is there,
  /// unless it is a dependent one (programmatic stream serialization), and nothing was between: kAwaitsGrid.
  /// `isBehindGrid`: a dependent one is told that such a grid wrote all that is there.
  void beginGrid(bool isDependent, bool isBehindGrid = false);
  /// Such a grid did not write the allocation that holds `address`.
  void holdConstant(uint64_t address);
  /// Checks::Strict: for each byte which store of the running grid wrote it last (memory/GlobalOrder.h); 0:
  /// none. Null where tracksWriters() is false: the host has not the address space, or there was no such
  /// grid.
  bool tracksWriters() const { return writers_ != nullptr; }
  uint32_t *writers(uint64_t address) const { return writers_ ? writers_ + (address - base_) : nullptr; }
  void settle() { isSettled_ = true; }                   // somebody has waited for all grids
  uint8_t writtenState() const { return writtenState_; } // of bytes that the running grid writes

  /// Before the host writes allocated bytes, whose pages may not be there yet: throws mxc::Error (Device)
  /// where the process would then have more than `budget` bytes in memory.
  void requireRoom(uint64_t address, uint64_t bytes, uint64_t budget);

  /// Calls `visit` with each allocation, by address.
  template <typename Visit> void forEachAllocation(const Visit &visit) const {
    std::shared_lock lock(mutex_);
    for (const auto &[address, allocation] : allocations_)
      visit(allocation);
  }

  uint64_t capacity() const { return capacity_; }
  /// Whether the address lies in the reserved range, allocated or not: then it is no host pointer.
  bool reserves(uint64_t address) const { return address - base_ < capacity_; }
  uint64_t allocatedBytes() const { return allocatedBytes_; }

private:
  uint64_t base_ = 0, capacity_ = 0, next_ = 0; // next_: after all that was ever allocated
  uint8_t *shadow_ = nullptr;
  uint32_t *writers_ = nullptr; // made when a grid first runs with Checks::Strict
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by address
  uint64_t count_ = 0;
  uint8_t writtenState_ = kGlobalWritten;
  std::atomic<bool> isSettled_{true};
  std::atomic<uint64_t> allocatedBytes_{0}, writtenUnseen_{0}; // since residentBytes() was last looked at
};

} // namespace mxc::sim
