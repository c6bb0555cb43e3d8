// Which rows a tile of 128 has where rows lie in groups whose ends are on the device.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"
#include "dialect/MxOps.h"

namespace mxc {

/// The tile rows of a grid that covers every group, as the ABI's expression and as a value (i64). Without
/// groups: those of the matrix.
std::string tileRowsText(mx::QuantizeOp op, const KernelSignature &signature);
mlir::Value tileRows(EntryFunction &entry, mx::QuantizeOp op);

struct GroupedRows {
  mlir::Value hasRows;  // i1
  mlir::Value first;    // i64: the tile's first row in the data
  mlir::Value count;    // i32, 1 to 128: rows of the group
  mlir::Value stored;   // i32: those of a copy along columns, which fills up to the next group
  mlir::Value scaleRow; // i64: the first row's among the scales
};

/// The rows of tile row `tile` (i64), found by every warp for itself: each lane looks at one end. Whatever
/// the ends are, the rows lie in the data and the scales.
GroupedRows groupedRows(EntryFunction &entry, mx::QuantizeOp op, llvm::StringRef ends, mlir::Value tile,
                        mlir::Value lane);

/// The row (i64), of `rows` (i64), that entry `row` (i64) of `index` (global pointer) names, and whether
/// there is one (i1). Where `isRow` (i1) is false entry 0 is read, which must be there.
struct GatheredRow {
  mlir::Value source, isThere;
};
GatheredRow gatheredRow(EntryFunction &entry, mlir::Value index, mlir::Value row, mlir::Value isRow,
                        mlir::Value rows);

} // namespace mxc
