// Where the scales of rows lie whose groups are side by side (align = 1). Codes do not depend on it, so
// groups are looked up while the inputs are under way.
#pragma once

#include "compiler/lowering/groups/GroupSearch.h"
#include "compiler/lowering/quantize/TilePosition.h"
#include "dialect/MxOps.h"

namespace mxc {

class GroupedScales {
public:
  /// `at`: the warp's rows.
  GroupedScales(EntryFunction &entry, llvm::StringRef ends, const TilePosition &at);

  /// Past the last group's last row (i32, within the matrix).
  mlir::Value rowEnd() const { return rowEnd_; }

  /// Issues the load that finds where most rows' groups end.
  void lookAhead();

  /// Sets where the rows of `at` have their scales. Whatever the ends are, they lie in the scales.
  void place(TilePosition &at, mx::ScaleLayoutKind layout, int lanesPerBlock);

  /// Layouts tcgen05 and mn_major: stores 0 as the scales (of type `scale`) of the rest of the tile after a
  /// group's last row.
  void pad(mlir::Value scales, mlir::Type scale, mx::ScaleLayoutKind layout, const TilePosition &at,
           int lanesPerBlock);

private:
  GroupSearch::Passed isBehind(mlir::Value row);
  llvm::SmallVector<FoundGroup> find(mlir::Value own = {});
  mlir::Value scaleRowOf(const FoundGroup &found, mlir::Value row, mlir::Type index);

  ValueBuilder v_;
  mlir::Value lane_;
  GroupSearch search_;
  llvm::SmallVector<mlir::Value> rows_; // i32
  mlir::Value rowEnd_;
  void padWords(mlir::Value scales, const TilePosition &at, int lanesPerBlock);
  void padLines(mlir::Value scales, mlir::Type scale, const TilePosition &at, int lanesPerBlock);

  llvm::SmallVector<mlir::Value>
      isLast_; // i1: the lane's word's row, or each of its rows, is its group's last
};

} // namespace mxc
