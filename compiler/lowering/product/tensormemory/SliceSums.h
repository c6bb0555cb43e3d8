// Sums of tiles whose steps along K several clusters share (slices): each leaves its part in a workspace, and
// the last warp that comes for a piece of c adds the parts in the order of K, whoever it is.
//
//   parts      f32 [units][slices][n / 4][128 rows][4]; a unit is a CTA's part of a tile, 128 x n
//   arrivals   words [units][warps]: how many slices have left theirs; zeros before and after a launch
#pragma once

#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

namespace mxc {

inline constexpr llvm::StringLiteral kParts = "mxc.parts", kArrivals = "mxc.arrivals"; // arguments of the ABI

/// Adds the two workspaces to the kernel's arguments where a tile of `op` has slices.
void addSliceSums(mx::ProductOpInterface op, KernelSignature &signature);

/// The parts of the tile that a store role works on.
class SliceSums {
public:
  SliceSums(const TensorMemoryEntry &e, const ValueBuilder &v, const TileRecord &tile);

  /// Keeps this slice's columns from `column` (i32, in the tile) on: vector<n x f32>, of this lane's row.
  void leave(const ValueBuilder &v, mlir::Value column, mlir::Value product) const;
  /// Behind the last column: i1, whether this warp is the last of the slices'.
  mlir::Value isLast(const ValueBuilder &v) const;
  /// The sum over all slices: for the last one.
  mlir::Value sum(const ValueBuilder &v, mlir::Value column, mlir::VectorType type) const;

private:
  mlir::Value address(const ValueBuilder &v, mlir::Value slice, mlir::Value column) const;

  const TensorMemoryEntry &e_;
  const TileRecord &tile_;
  mlir::Value thread_, unit_, isInside_;
};

} // namespace mxc
