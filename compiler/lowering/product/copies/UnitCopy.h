// What a warp copies at a time: some rows of an operand, 128 elements of each, from codes to bf16.
#pragma once

#include "compiler/lowering/product/plan/OperandCopies.h"

namespace mxc {

/// Which rows and elements. All i32, but isA: i1.
struct CopyUnit {
  mlir::Value batch; // of b: which matrix, all parts of all batches counted
  mlir::Value isA;
  mlir::Value row;  // in units
  mlir::Value slab; // of 128 elements along K
};

/// Rows that a warp loads before it stores.
inline constexpr int kPieceRows = 32;
inline int pieceRows(const CopyPlan &plan) { return std::min(plan.unitRows, kPieceRows); }

/// Emits the copy of a unit of a or of b. Between its first loads and stores the unit before is published
/// (`countBefore`; null: there is none): its stores land while the loads are under way. Returns the unit's
/// count, to be published.
mlir::Value emitUnitCopy(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                         const CopyUnit &unit, bool isB, mlir::Value countBefore);

/// A piece of a unit, from row `firstRow` (i32) of the operand on, in the order of mx.load_fragments
/// (FragmentCopy.cpp). `behindLoads` emits what stands between its loads and stores.
void emitFragmentPiece(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                       const CopyUnit &unit, bool isB, mlir::Value firstRow,
                       llvm::function_ref<void()> behindLoads);

/// Publishes a count, unless it is null.
void publishUnit(const ValueBuilder &v, mlir::Value count);

} // namespace mxc
