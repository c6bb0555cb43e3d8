// Where the results of a product go: what the epilogue and the stores take, whichever machine made the sums.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

#include "mlir/IR/IRMapping.h"

namespace mxc {

/// Which elements of c a lane has at a time.
enum class ResultFragment {
  Row,                      // a run of columns of one row
  WarpgroupPairs,           // as wgmma leaves them: pairs of columns, 8 apart, of two rows in turn
  WarpgroupPairsTransposed, // of b a^T: pairs of rows, 8 apart, of two columns in turn
};

/// A piece of c that a lane has in registers, a vector<n x f32>. All i32.
struct ResultBox {
  mlir::Value batch, row, column; // of the lane's first element
  mlir::Value rows;               // the end of the rows that are stored
  mlir::Value firstRow;           // of the warp's box
  mlir::Value firstColumn;
  mlir::Value index; // the box's number in the tile
  struct {
    mlir::Value row, scaleRow; // its first one, and where that has its scales: of 128 rows at a tile of them
    mlir::Value thread;        // of those that store them
  } rowsOfCta = {};            // 128 of them, of few rows' tiles less
};

/// What an operation does with its product, and how its results leave.
struct ResultSink {
  EntryFunction &function;
  const KernelSignature &signature;
  llvm::SmallVector<mx::ProductResult> results; // one for each value of the epilogue
  QuantizeRule rule;                            // of those that are quantized
  llvm::SmallVector<mlir::Value> outputs;       // of the kernel: those that are matrices
  mlir::ValueRange inputs;                      // of the kernel: what the epilogue reads beside the product
  mlir::Value alpha;              // of the kernel: what the product is multiplied by, f32 [1]; null: nothing
  mlir::Block *epilogue;          // null: there is none
  const mlir::IRMapping &scalars; // the kernel's scalar arguments, as the epilogue names them
  bool accumulates;               // onto what the outputs hold
  bool isBatched;
  bool hasGroups;      // of rows: a box's batch is its group
  mlir::Value columns; // i32: of c
  ResultFragment fragment;
  mx::ResultStore store = mx::ResultStore::Rows;
  mlir::Value staging = {}; // ptr<3>, of boxes by tensor maps: `buffers` of them a warp
  int buffers = 0;
  // For copies along columns: ptr<3>, bytesOfTurning(fragment); up to which row codes are written, i32, null:
  // to the box's last; and how many rows their scales have, i32.
  mlir::Value turning = {}, rowsOfCopies = {}, scaleRowsOfCopies = {};

  /// Whether a lane has rows whose pieces of 16 bytes are whole: of the outputs, and so of the inputs.
  bool hasWholeRows() const { return store == mx::ResultStore::Tensor && fragment == ResultFragment::Row; }
  /// The same of two columns, where that is what it has of a row.
  bool hasWholePairs() const {
    return store == mx::ResultStore::Tensor && fragment == ResultFragment::WarpgroupPairs;
  }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }

  // Where element `i` of a box lies.
  int rowOffset(int i) const {
    return fragment == ResultFragment::Row ? 0 : isTransposed() ? alongPairs(i) : acrossPairs(i);
  }
  int columnOffset(int i) const {
    return fragment == ResultFragment::Row ? i : isTransposed() ? acrossPairs(i) : alongPairs(i);
  }
  bool isTransposed() const { return fragment == ResultFragment::WarpgroupPairsTransposed; }
  mlir::Value rowOf(const ValueBuilder &v, const ResultBox &box, int i) const {
    return v.add(box.row, rowOffset(i));
  }
  mlir::Value columnOf(const ValueBuilder &v, const ResultBox &box, int i) const {
    return v.add(box.column, columnOffset(i));
  }

private:
  static int alongPairs(int i) { return i / 4 * 8 + (i & 1); }
  static int acrossPairs(int i) { return i & 2 ? 8 : 0; }
};

/// Copies along columns are turned in shared memory: so many columns at a time, each so many bytes apart.
inline int turnedColumns(ResultFragment fragment) {
  return fragment == ResultFragment::WarpgroupPairs ? 16 : int(mx::kResultBlock);
}
inline constexpr int kTurnedPitchBytes = 4 * (int(mx::kResultBlock) + 4); // rows side by side, in all banks
/// The shared memory that it takes.
inline int64_t bytesOfTurning(ResultFragment fragment) {
  constexpr int kBlocksOfCta = 4; // along its rows
  return int64_t(kBlocksOfCta) * turnedColumns(fragment) * kTurnedPitchBytes;
}

} // namespace mxc
