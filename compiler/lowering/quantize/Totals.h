// What mx.quantize gives of the matrix as a whole: the largest magnitude and the sums of columns. The same
// bits in every run, whichever CTA comes last:
//
//   column_sum   a lane adds its 32 rows in order, from +0; a thread the four blocks of its column; the sum
//   of a
//                tile lies in the workspace until the column's last warp adds the tiles in order, from +0
//   amax         integers, whose maximum knows no order
#pragma once

#include "compiler/lowering/quantize/ColumnPlan.h"

namespace mxc {

inline bool hasTotals(mx::QuantizeOp op) { return op.getAmax() || op.getColumnSum(); }

/// The workspaces that they need.
void declareTotals(mx::QuantizeOp op, KernelSignature &signature);

/// The totals of a tile's `rows` (as loadColumnBlocks gives them) to shared memory; then, after a barrier,
/// from there to the outputs. `maxima`: of the column copy's blocks; none: there is no such copy.
void keepTotals(const ValueBuilder &v, ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared,
                llvm::ArrayRef<mlir::Value> rows, llvm::ArrayRef<mlir::Value> maxima);
void addTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared);
/// For a CTA whose tile has no rows.
void passTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at);

/// For a matrix without elements the first CTA writes zeros. Which CTAs have a tile (i1).
mlir::Value emitEmptyTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at);

} // namespace mxc
