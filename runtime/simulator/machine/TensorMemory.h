// Tensor memory of one CTA (tcgen05): 128 lanes of 512 columns of 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mxc::sim {

struct Cta;

/// Lanes x columns of tensor memory.
struct TensorRegion {
  uint32_t lane = 0, lanes = 0, column = 0, columns = 0;
  bool operator==(const TensorRegion &) const = default;
  bool contains(const TensorRegion &other) const {
    return lane <= other.lane && other.lane + other.lanes <= lane + lanes && column <= other.column &&
           other.column + other.columns <= column + columns;
  }
  bool overlaps(const TensorRegion &other) const {
    return lane < other.lane + other.lanes && other.lane < lane + lanes &&
           column < other.column + other.columns && other.column < column + columns;
  }
};

struct TensorMemory {
  static constexpr uint32_t kLanes = 128, kColumns = 512, kUnit = 32; // columns are handed out by units
  std::vector<uint32_t> cells;     // [lane * kColumns + column]; empty until the first allocation
  std::vector<uint8_t> written;    // of each cell
  std::vector<uint32_t> allocated; // by 32-column unit: number of the allocation, 0 = free
  uint32_t allocations = 0;
  std::vector<uint32_t> lines; // of the PTX, of each allocation
  bool mayAllocate = true;     // until relinquish_alloc_permit
  uint32_t latestColumns = 0;  // of the latest allocation

  /// Checks::Strict: the last tcgen05.ld of each region since that was written. Who writes there is ordered
  /// after its wait::ld and fence::before_thread_sync, of all lanes (LaneMeetings.h). (Who has used what a
  /// load gave knows that it is done: CuTe DSL's dense_gemm and fmha wait in no other way.)
  struct Load {
    uint32_t warp = 0;
    TensorRegion region;
    bool isWaitedFor = false, isFenced = false;
    uint32_t fenced = 0; // how often the warp had given away its accesses then
  };
  std::vector<Load> loads;

  /// Checks::Strict: who issued the last write or read of a column in a warp's 32 lanes, when, and when it
  /// was last performed; and each warp's last fences. [quarter * kColumns + column]
  struct Stamp {
    uint64_t issued = 0, performed = 0;
    uint32_t warp = ~0u;        // rank << 16 | index
    bool isAsynchronous = true; // of another warp: needs its fence::before_thread_sync
  };
  std::vector<Stamp> writes, reads;
  struct Fences {
    uint64_t before = 0, after = 0;
  };
  std::vector<Fences> fences; // by warp

  /// cta_group::2: a warp of each CTA of the pair must come to the same instruction.
  struct Meeting {
    enum class Kind : uint8_t { None, Allocate, Release } kind = Kind::None;
    uint32_t columns = 0, address = 0;
    bool isDone = false;
  } meeting;

  /// The first column of `columns` free ones; nothing if there are none.
  std::optional<uint32_t> findFree(uint32_t columns) const;
  void allocate(uint32_t column, uint32_t columns, uint32_t line = 0);
  void release(uint32_t column, uint32_t columns); // throws FaultError (TensorMemory): not what an alloc gave

  /// Throws FaultError (TensorMemory) unless the region lies in allocated columns.
  void check(const TensorRegion &region, const char *what) const;
  uint32_t *row(uint32_t lane, uint32_t column) { return cells.data() + lane * kColumns + column; }
  uint8_t *writtenRow(uint32_t lane, uint32_t column) { return written.data() + lane * kColumns + column; }
};

/// The parts of a tensor-memory address (PTX ISA 9.7.16.1): bits 31-16 the lane, of which hardware looks at
/// seven, 15-0 the column, of which it looks at nine (users keep a scale factor's id in the others).
inline uint32_t tensorLane(uint32_t address) { return address >> 16 & 0x7f; }
inline uint32_t tensorColumn(uint32_t address) { return address & 0x1ff; }

/// A CTA's end: throws FaultError (TensorMemory, at the tcgen05.alloc) if columns are still allocated.
void checkTensorMemoryReleased(Cta &cta);

} // namespace mxc::sim
