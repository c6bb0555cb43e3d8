// Where the scales of rows lie whose groups are side by side (align = 1). Codes do not depend on it, so
// groups are looked up while the inputs are under way.
#pragma once

#include "compiler/lowering/TilePosition.h"
#include "dialect/MxOps.h"

namespace mxc {

class GroupedScales {
public:
  /// Looks at the last ends of 32 equal shares of the groups, one a lane. `at`: the warp's rows.
  GroupedScales(EntryFunction &entry, llvm::StringRef ends, const TilePosition &at);

  /// Behind the last group's last row (i32, within the matrix).
  mlir::Value rowEnd() const { return rowEnd_; }

  /// Begins to read the ends of the first row's share, and behind it.
  void lookAhead();

  /// Sets where the rows of `at` have their scales. Whatever the ends are, they lie in the scales.
  void place(TilePosition &at, mx::ScaleLayoutKind layout, int lanesPerBlock);

  /// Layout tcgen05: stores 0x00 as the scales of the rest of the tile behind a group's last row.
  void pad(mlir::Value scales, const TilePosition &at, int lanesPerBlock);

private:
  // A row (i32), and its group: the number, and the ends that the row lies between.
  struct Place {
    mlir::Value row, group, begin, end;
  };

  mlir::Value endOf(mlir::Value group);
  mlir::Value endAt(mlir::Value first);
  llvm::SmallVector<mlir::Value> passed(mlir::Value ends);
  llvm::SmallVector<Place> find(mlir::Value own);
  mlir::Value scaleRowOf(const Place &place, mlir::Type index);

  ValueBuilder v_;
  mlir::Value ends_, groups_, lane_;
  llvm::SmallVector<mlir::Value> rows_; // i32
  mlir::Value share_, shareEnds_;       // groups, and the end of the last of them
  mlir::Value first_, begin_, window_;  // 32 groups: the first, where it begins, and their ends
  mlir::Value rowEnd_;
  mlir::Value isLast_; // i1: the word's row is its group's last
};

} // namespace mxc
