// Bulk tensor copies in tiled mode: where the elements of a box lie in global and in shared memory (PTX
// ISA 5.5).
#pragma once

#include "runtime/simulator/TensorMapFormat.h"
#include "runtime/simulator/async/BulkReduction.h"
#include "runtime/simulator/async/PendingBytes.h"

namespace mxc::sim {

/// A box of a tensor and its place in shared memory.
struct TensorBox {
  TensorMap map;
  std::array<int64_t, 5> at{};   // coordinates of its first element, innermost first
  bool isRowList = false;        // tile::gather4, tile::scatter4: four rows of dimension 1 ..
  std::array<int64_t, 4> rows{}; // .. at these coordinates
  uint32_t shared = 0;

  uint64_t rowCount() const;       // rows of dimension 0
  uint32_t globalRowBytes() const; // of a row of the box
  uint32_t sharedRowBytes() const; // .. padded types take more there
  uint32_t pitchBytes() const;   // from row to row: swizzled rows lie a whole span apart, even narrower ones
  uint32_t countedBytes() const; // what an mbarrier is told: the whole box, wherever it lies
};

/// Swizzling is a permutation of 16-byte (or larger) atoms of the absolute address: bits 4.. ^= bits 7..
uint32_t swizzledAddress(const TensorMap &map, uint32_t address);

/// What forbids the copy, "" if nothing: an invalid map, a rank other than `rank`, and what an H200 refuses:
/// a first coordinate that is no multiple of 16 bytes, negative coordinates of stores; a box that exceeds
/// shared memory, so that 32 bits hold the bytes of one that passes.
std::string problemOfBox(const TensorBox &box, unsigned rank, bool isStore);

/// f(address, bytes) for the pieces of shared memory that the box takes: one, or 16 bytes each.
template <class F> void forEachPiece(const TensorBox &box, F f) {
  uint32_t rows = uint32_t(box.rowCount()), pitch = box.pitchBytes(), bytes = box.sharedRowBytes();
  if (bytes == pitch && rows * pitch % 128 == 0) return f(box.shared, rows * pitch);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t chunk = 0; chunk < bytes; chunk += 16)
      f(swizzledAddress(box.map, box.shared + row * pitch + chunk), 16u);
}

/// Checks::Strict: that the box's bytes in global memory are there for the async proxy, on behalf of `lane`
/// (memory/GlobalOrder.h). Throws FaultError.
void requireBoxOrder(Warp &warp, const TensorBox &box, int lane);

/// Global to shared memory; elements outside of the tensor are 0, or NaN.
void loadBox(Cluster &cluster, const TensorBox &box);
/// The box's bytes out of shared memory, row after row; and into global memory, where they lie inside of the
/// tensor.
std::vector<std::byte> gatherBox(Cluster &cluster, const TensorBox &box);
void storeBox(Cluster &cluster, const TensorBox &box, const std::vector<std::byte> &rows,
              BulkReduction reduction);

/// The reduction of the map's element type; null: the hardware has none.
BulkReduction tensorReduction(std::string_view operation, TensorMapType type);

} // namespace mxc::sim
