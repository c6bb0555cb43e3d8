// Sums of tiles whose steps along K several clusters share (slices): each leaves its part in a workspace, and
// the last warp that comes for a piece of c adds the parts in the order of K, whoever it is.
//
//   parts      f32 [units][slices][chunks][threads][4]; a unit is a CTA's part of a tile, 128 x n, whose sums
//              a thread of the warps that store has in the same order in every slice
//   arrivals   words [units][warps]: how many slices have left theirs; zeros before and after a launch
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Adds the two workspaces to the kernel's arguments where a tile of `op` has slices, which so many warps
/// store.
void addSliceSums(mx::ProductOpInterface op, KernelSignature &signature, int storeWarps);

/// The parts of the tile that a store role works on.
class SliceSums {
public:
  static constexpr int kChunk = 4; // sums in 16 bytes

  /// `row` (i32): the first one that this thread has sums of.
  SliceSums(const TileEntry &e, const ValueBuilder &v, const TileRecord &tile, mlir::Value row);

  /// Keeps this slice's sums from `chunk` (i32, of the thread's) on: vector<n x f32>.
  void leave(const ValueBuilder &v, mlir::Value chunk, mlir::Value sums) const;
  /// After the last chunk: i1, whether this warp is the last of the slices'.
  mlir::Value isLast(const ValueBuilder &v) const;
  /// The sums over all slices: for the last one.
  mlir::Value sum(const ValueBuilder &v, mlir::Value chunk, mlir::VectorType type) const;

private:
  int threads() const { return 32 * plan_.storeWarps; }
  mlir::Value address(const ValueBuilder &v, mlir::Value slice, mlir::Value chunk) const;
  mlir::Value chunkAt(const ValueBuilder &v, mlir::Value first, int chunk) const;
  mlir::Value loadPart(const ValueBuilder &v, mlir::Value first, mlir::VectorType type) const;

  const TileEntry &e_;
  const ClusterTilePlan &plan_;
  const TileRecord &tile_;
  mlir::Value thread_, unit_, isInside_;
};

} // namespace mxc
