// Rows of a by index: which of them a tile's rows are, and how the lanes of a load role bring them. A row's
// codes are a box of one row; its scales of a step lie in 16 bytes with those of three other rows, which come
// along:
//
//   tcgen05    of tile r / 128 and step, piece r % 32: rows r % 32, + 32, + 64, + 96     word r / 32 % 4 is
//   the row's mn_major   of line step, piece r / 4: four rows that are neighbours                  word r % 4
#pragma once

#include "compiler/lowering/product/plan/ProductEntry.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

namespace mxc {

inline constexpr int64_t kScalePieceBytes = 16;
/// What loads of them ask of the dimensions: where an index names no row, the first one's scales are read.
inline constexpr llvm::StringLiteral kHasRowsA = "T > 0";

/// A row of a: i32, 0 where there is none; i1.
struct NamedRow {
  mlir::Value number, isThere;
};
/// Which one row `row` of the groups is, if that lies before `end` (i32).
NamedRow namedRow(const ProductEntry &e, const ValueBuilder &v, mlir::Value row, mlir::Value end);

/// Which word of its scales' pieces is the row's: i32, -1 where there is no row.
mlir::Value wordOfPiece(const ProductEntry &e, const ValueBuilder &v, const NamedRow &row);

/// Rows first + lane, + 32, .. of `count` rows: what a lane of a load role brings.
class LaneRows {
public:
  LaneRows(const ProductEntry &e, const ValueBuilder &v, mlir::Value first, mlir::Value end, int count);

  /// Codes of K from element `column` on, to rows of 128 bytes from byte `offset` of the part on.
  void copyCodes(const ValueBuilder &v, mlir::Value column, mlir::Value ring, mlir::Value stage, int part,
                 int64_t offset = 0) const;
  /// Pieces of the scales of step `step` of 128 elements of K, or of the last one.
  void copyScales(const ValueBuilder &v, mlir::Value step, mlir::Value ring, mlir::Value stage, int part,
                  int64_t offset = 0) const;

private:
  const ProductEntry &e_;
  int count_;
  llvm::SmallVector<mlir::Value> rows_, pieces_; // i32, past a's edge where there is none; ptr<1>, of step 0
  mlir::Value steps_, bytesOfStep_;              // i32; i64: from a step's pieces to the next one's
};

/// The map of boxes of one row of a.
TensorMapRecipe namedRowsMap(mx::ProductOpInterface op, const KernelSignature &signature);

} // namespace mxc
