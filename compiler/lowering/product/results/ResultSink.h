// Where the results of a product go: what the epilogue and the stores take, whichever machine made the sums.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

#include "mlir/IR/IRMapping.h"

namespace mxc {

/// Which elements of c a lane has at a time.
enum class ResultFragment {
  Row,            // a run of columns of one row
  WarpgroupPairs, // as wgmma leaves them: pairs of columns, 8 apart, of two rows in turn
};

/// A piece of c that a lane has in registers, a vector<n x f32>. All i32.
struct ResultBox {
  mlir::Value batch, row, column; // of the lane's first element
  mlir::Value rows;               // the end of the rows that are stored
  mlir::Value firstRow;           // of the warp's box
  mlir::Value firstColumn;
  mlir::Value index; // the box's number in the tile
};

/// What an operation does with its product, and how its results leave.
struct ResultSink {
  EntryFunction &function;
  const KernelSignature &signature;
  mlir::ValueRange outputs, inputs; // of the kernel: results; what the epilogue reads beside the product
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

  /// Whether a lane has rows whose pieces of 16 bytes are whole: of the outputs, and so of the inputs.
  bool hasWholeRows() const { return store == mx::ResultStore::Tensor && fragment == ResultFragment::Row; }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }

  // Where element `i` of a box lies.
  mlir::Value rowOf(const ValueBuilder &v, const ResultBox &box, int i) const {
    return fragment == ResultFragment::WarpgroupPairs && i & 2 ? v.add(box.row, 8) : box.row;
  }
  int columnOffset(int i) const {
    return fragment == ResultFragment::WarpgroupPairs ? i / 4 * 8 + (i & 1) : i;
  }
  mlir::Value columnOf(const ValueBuilder &v, const ResultBox &box, int i) const {
    return v.add(box.column, columnOffset(i));
  }
};

/// What the outputs get, one vector<n x f32> each: the epilogue on the product and its inputs, plus what the
/// outputs held.
llvm::SmallVector<mlir::Value> applyEpilogue(const ResultSink &sink, const ValueBuilder &v,
                                             mlir::Value product, const ResultBox &box); // Epilogue.cpp

/// Hands the epilogue's results of a box to every output.
void storeBox(const ResultSink &sink, const ValueBuilder &v, mlir::Value product,
              const ResultBox &box); // ResultStores.cpp

} // namespace mxc
