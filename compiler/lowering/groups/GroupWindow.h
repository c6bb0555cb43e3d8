// Tiles of rows in groups, whose ends lie on the device, by number. A warp's lanes look at 32 groups at a
// time: their first row and end, and by a sum over the lanes how many tiles lie before them.
//
//   groups of a window                 lane 0 | lane 1 | lane 2 | ..
//   tiles: its rows of them x columns       6 |      0 |      4 | ..
//   tiles up to its last one                6 |      6 |     10 | ..   tile t of the window is the first
//   lane's whose
//                                                                     number here is above t
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// How groups are cut into tiles; values are i32.
struct GroupCut {
  mlir::Value ends;    // ptr<1>
  mlir::Value groups;  // how many
  mlir::Value rows;    // of the matrix: what ends are kept within
  mlir::Value columns; // tiles beside each other
  mlir::Value lane;
  int64_t align, tileM;
};

/// The end of a group that there is, as it counts: within 0 and `most`.
mlir::Value groupEnd(const ValueBuilder &v, mlir::Value ends, mlir::Value group, mlir::Value most);

/// A group by a tile of it; i32, the same in all lanes.
struct GroupOfTile {
  mlir::Value group, begin, end; // rows
  mlir::Value rows;              // of tiles
  mlir::Value number;            // of the tile in the group

  /// Where the row `inGroup` of the group has its scales.
  mlir::Value scaleRow(const ValueBuilder &v, const GroupCut &cut, mlir::Value inGroup) const;
};

/// What cannot be computed again of each tile, since it stays in registers while a tile is worked on. All
/// i32.
class GroupWindow {
public:
  static constexpr int kGroups = 32;

  /// From group `first` on; `endBefore`: of the group in front of it. By whole warps.
  GroupWindow(const ValueBuilder &v, const GroupCut &cut, mlir::Value first, mlir::Value endBefore);

  mlir::Value tiles(const ValueBuilder &v) const;   // of all its groups
  mlir::Value lastEnd(const ValueBuilder &v) const; // of its last group
  /// The group of tile `number` of the window, the same in all lanes; by whole warps.
  GroupOfTile find(const ValueBuilder &v, mlir::Value number) const {
    return at(v, laneOf(v, number), number);
  }
  /// The same in two steps: whose group has the tile (kGroups: none), and that group.
  mlir::Value laneOf(const ValueBuilder &v, mlir::Value number) const;
  GroupOfTile at(const ValueBuilder &v, mlir::Value lane, mlir::Value number) const;

  /// What a loop carries of it; and from that.
  static constexpr unsigned kCarried = 4;
  llvm::SmallVector<mlir::Value> carried() const { return {first_, begin_, end_, upTo_}; }
  GroupWindow(const GroupCut &cut, mlir::ValueRange carried)
      : cut_(cut), first_(carried[0]), begin_(carried[1]), end_(carried[2]), upTo_(carried[3]) {}
  mlir::Value first() const { return first_; } // of its groups

private:
  mlir::Value rowsOfTiles(const ValueBuilder &v, mlir::Value begin, mlir::Value end) const;

  const GroupCut &cut_;
  mlir::Value first_;       // group of lane 0
  mlir::Value begin_, end_; // rows of the lane's group
  mlir::Value upTo_;        // tiles of the window up to the group's last one
};

/// The group of tile `number` of all groups, the same in all lanes, and whether there is one (i1); by whole
/// warps.
std::pair<mlir::Value, GroupOfTile> groupOfTile(const ValueBuilder &v, const GroupCut &cut,
                                                mlir::Value number);

} // namespace mxc
