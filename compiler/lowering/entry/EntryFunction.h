// One entry point under construction: an llvm.func whose parameters follow the ABI, and the values they stand
// for.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "compiler/lowering/entry/KernelSignature.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace mxc {

class EntryFunction {
public:
  /// Creates the function at the end of `module` from `variant` (entry, parameters, block). `argument`s that
  /// `byTensorMap` names are passed as tensor maps; `workspaces`, and outputs that are read as well, as their
  /// address and the maps over them.
  EntryFunction(mlir::ModuleOp module, mlir::Location loc, const KernelSignature &signature,
                AbiVariant &variant, llvm::ArrayRef<TensorMapRecipe> byTensorMap,
                llvm::ArrayRef<std::string> workspaces = {});

  /// CTAs have up to so many threads, along x: not the variant's number exactly.
  void takeThreads(uint32_t most);

  ValueBuilder values() { return {builder_, loc_}; }
  mlir::OpBuilder &builder() { return builder_; }
  mlir::Operation *operation() { return function_; }

  mlir::Value pointer(llvm::StringRef argument) const; // global pointer, or the map's generic address
  mlir::Value map(llvm::StringRef argument, unsigned index = 0) const; // of several over one workspace
  mlir::Value rowStride(llvm::StringRef argument) { return stride(argument, 0); } // of a matrix
  mlir::Value stride(llvm::StringRef argument, unsigned dimension);               // i64, elements
  mlir::Value extent(llvm::StringRef dimension);                                  // i64
  mlir::Value scalar(llvm::StringRef argument) const; // of its type; null: it is no scalar
  /// The entry's values of the scalar arguments of `kernel`, as its region names them.
  mlir::IRMapping scalars(mx::KernelOp kernel) const;
  mlir::Value rows() const { return rows_; }       // i64
  mlir::Value columns() const { return columns_; } // i64

private:
  mlir::Type typeOf(const AbiParameter &parameter);

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  const KernelSignature &signature_;
  mlir::Operation *function_;
  llvm::StringMap<llvm::SmallVector<mlir::Value>> maps_;
  llvm::StringMap<mlir::Value> pointers_, dimensions_, scalars_;
  std::map<std::pair<std::string, unsigned>, mlir::Value> strides_;
  mlir::Value rows_, columns_;
};

} // namespace mxc
