// Rows of a by index: which of them a tile's rows are, and how the lanes of a load role bring them, by copies
// of their own (cp.async). In the stage codes and scales lie as boxes would leave those of rows that are
// neighbours.
#pragma once

#include "compiler/lowering/product/plan/ProductEntry.h"

namespace mxc {

/// A row of a: i32, 0 where there is none; i1.
struct NamedRow {
  mlir::Value number, exists;
};
/// Which one row `row` of the groups is, if that lies before `end` (i32).
NamedRow namedRow(const ProductEntry &e, const ValueBuilder &v, mlir::Value row, mlir::Value end);

/// `count` rows from `first` on, of which a lane of a load role of one warp knows rows lane, lane + 32, ..
class LaneRows {
public:
  LaneRows(const ProductEntry &e, const ValueBuilder &v, mlir::Value first, mlir::Value end, int count);

  /// 128 bytes of codes each, of elements of 8 bits, from element `column` of K on, to rows under the 128B
  /// swizzle from byte `offset` of the part on.
  void copyCodes(const ValueBuilder &v, mlir::Value column, mlir::Value ring, mlir::Value stage, int part,
                 int64_t offset = 0) const;
  /// Their scales of step `step` of 128 elements of K: in the layout tcgen05 the tile that the rows make,
  /// else a line of rows from byte `offset` on.
  void copyScales(const ValueBuilder &v, mlir::Value step, mlir::Value ring, mlir::Value stage, int part,
                  int64_t offset = 0) const;

private:
  const ProductEntry &e_;
  int count_;
  mlir::Value lane_;
  llvm::SmallVector<mlir::Value> rows_; // i32, -1 where there is none
};

} // namespace mxc
