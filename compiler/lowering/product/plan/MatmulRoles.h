// The roles of a block-scaled product: one function a role, a file each. Order of the rings: MatmulPlan.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"
#include "compiler/lowering/product/plan/MatmulPlan.h"

#include "mlir/IR/IRMapping.h"

namespace mxc {

/// What all roles of one entry speak of.
struct MatmulEntry {
  mutable mx::MatmulOp op; // accessors of operations are not const
  const MatmulPlan &plan;
  const KernelSignature &signature;
  EntryFunction &entry;
  mlir::Value operands = {}, accumulators = {}, queue = {}; // rings; of tiles, or null
  mlir::Value staging = {};                                 // ptr<3>, or null
  mlir::Value m = {}, n = {}, k = {}, batches = {};         // i32
  mlir::Value tileRows = {}, tileColumns = {}, steps = {};  // i32: tiles of c, stages along K

  mlir::IRMapping scalars = {}; // the kernel's scalar arguments, as the region names them, to the entry's

  bool isBatched() const { return op.isBatched(); }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }
};

/// A tile of c while it is worked on; first row and column of this CTA's part, and its share of the steps
/// along K.
struct MatmulTile {
  mlir::Value batch, row, column;        // i32: of c, in elements
  mlir::Value slice, beginStep, endStep; // i32
};

/// The role `name` and its warps.
void emitPlainRole(const MatmulEntry &e, llvm::StringRef name, int firstWarp, int warps, bool leader,
                   llvm::function_ref<void(const ValueBuilder &)> body);
/// The same with the loop over tiles in it, and what comes behind that.
void emitRole(
    const MatmulEntry &e, llvm::StringRef name, int firstWarp, int warps, bool leader,
    llvm::function_ref<void(const ValueBuilder &, const MatmulTile &)> tile,
    llvm::function_ref<void(const ValueBuilder &)> end = [](const ValueBuilder &) {});

// On warpgroups.
void emitLoadCopies(const MatmulEntry &e, const class OperandCopies &copies); // LoadCopies.cpp
void emitDequantizeOperands(const MatmulEntry &e, const class OperandCopies &copies, int firstWarp,
                            int warps);              // DequantizeOperands.cpp
void emitMultiplyOnWarpgroups(const MatmulEntry &e); // MultiplyOnWarpgroups.cpp

// On tensor memory.
void emitLoadByTensorMaps(const MatmulEntry &e); // LoadBoxes.cpp
void emitLoadByElements(const MatmulEntry &e);   // LoadElements.cpp
void emitMultiply(const MatmulEntry &e);         // Multiply.cpp
void emitStore(const MatmulEntry &e);            // Store.cpp

/// Elements of c that a lane has at a time, a vector<n x f32>: a run of columns of one row, or the fragment
/// of mx.warpgroup_mma: pairs of columns, 8 apart, of two rows in turn.
struct ResultBox {
  mlir::Value batch, row, column; // i32: of the lane's first element
  mlir::Value firstRow;           // i32: of the warp's box
  mlir::Value firstColumn;
  mlir::Value index; // i32: the box's number in the tile
  bool isFragment = false;

  mlir::Value rowOf(const ValueBuilder &v, int element) const {
    return isFragment && element & 2 ? v.add(row, 8) : row;
  }
  int columnOffset(int element) const { return isFragment ? element / 4 * 8 + (element & 1) : element; }
  mlir::Value columnOf(const ValueBuilder &v, int element) const {
    return v.add(column, columnOffset(element));
  }
};

/// What the outputs get, one vector<n x f32> each: the region on the product and its further inputs, plus
/// what c held.
llvm::SmallVector<mlir::Value> applyEpilogue(const MatmulEntry &e, const ValueBuilder &v, mlir::Value product,
                                             const ResultBox &box); // Epilogue.cpp

/// Hands the epilogue's results of a box to every output.
void storeBox(const MatmulEntry &e, const ValueBuilder &v, mlir::Value product, const ResultBox &box);

} // namespace mxc
