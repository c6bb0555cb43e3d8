// The roles of a block-scaled product: one function a role, a file each. Order of the rings: MatmulPlan.
#pragma once

#include "compiler/lowering/EntryFunction.h"
#include "compiler/lowering/matmul/MatmulPlan.h"

#include "mlir/IR/IRMapping.h"

namespace mxc {

/// What all roles of one entry speak of.
struct MatmulEntry {
  mutable mx::MatmulOp op; // accessors of operations are not const
  const MatmulPlan &plan;
  const KernelSignature &signature;
  EntryFunction &entry;
  mlir::Value operands = {}, accumulators = {};            // rings
  mlir::Value staging = {};                                // ptr<3>, or null
  mlir::Value m = {}, n = {}, k = {}, batches = {};        // i32
  mlir::Value tileRows = {}, tileColumns = {}, steps = {}; // i32: tiles of c, stages along K

  mlir::IRMapping scalars = {}; // the kernel's scalar arguments, as the region names them, to the entry's

  bool isBatched() const { return op.isBatched(); }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }
};

/// A tile of c while it is worked on; first row and column of this CTA's part.
struct MatmulTile {
  mlir::Value batch, row, column; // i32: of c, in elements
};

/// The role `name`, its warps, and the loop over tiles in it.
void emitRole(
    const MatmulEntry &e, llvm::StringRef name, int firstWarp, int warps, bool leader,
    llvm::function_ref<void(const ValueBuilder &, const MatmulTile &)> tile,
    llvm::function_ref<void(const ValueBuilder &)> end = [](const ValueBuilder &) {});

void emitLoadByTensorMaps(const MatmulEntry &e); // LoadBoxes.cpp
void emitLoadByElements(const MatmulEntry &e);   // LoadElements.cpp
void emitMultiply(const MatmulEntry &e);         // Multiply.cpp
void emitStore(const MatmulEntry &e);            // Store.cpp

/// What the outputs get, one vector<n x f32> each: the region on the product and its further inputs, plus
/// what c held.
llvm::SmallVector<mlir::Value> applyEpilogue(const MatmulEntry &e, const ValueBuilder &v, mlir::Value product,
                                             const struct ResultBox &box); // Epilogue.cpp

/// How results of an epilogue leave: Store.cpp calls one for every box of columns.
struct ResultBox {
  mlir::Value batch, row, column,
      index; // i32: this lane's row, the box's first column, its number in the tile
};
void storeByTensorMap(const MatmulEntry &e, const ValueBuilder &v, mlir::Value output, mlir::Value values,
                      const ResultBox &box); // values: vector<n x f32>
void storeByRows(const MatmulEntry &e, const ValueBuilder &v, mlir::Value output, mlir::Value values,
                 const ResultBox &box);

} // namespace mxc
