// A kernel's arguments and dimensions as the ABI states them, derived from its one operation.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "dialect/MxOps.h"

namespace mxc {

/// An extent that kernels of one family share: a number where the types say it, else a dimension given at
/// launch.
struct Extent {
  std::string name; // "M"
  std::optional<int64_t> staticSize;
  std::string text() const { return staticSize ? std::to_string(*staticSize) : name; }
  ShapeExpression size() const { return staticSize ? ShapeExpression(*staticSize) : ShapeExpression(name); }
};

struct KernelSignature {
  KernelAbi abi;                      // without variants
  std::vector<Extent> extents;        // the operation's dimensions, in its order
  std::vector<ShapeExpression> sizes; // conditions: what types say of sizes that follow from dynamic ones
  std::string onlyEntry = {};         // the entry point that gets a function, "-": none; "": all

  // For operations on one matrix: M, K; for scale copies M, KB.
  const Extent &rows() const { return extents[0]; }
  const Extent &columns() const { return extents[1]; }

  bool emits(llvm::StringRef entry) const { return onlyEntry.empty() || entry == onlyEntry; }

  const Extent &extent(llvm::StringRef name) const;     // one of them
  const AbiArgument &argument(mlir::Value value) const; // of a kernel's block argument

  /// After the kernel's own arguments: memory that the runtime provides, `bytes` an expression.
  void addWorkspace(llvm::StringRef name, const ShapeExpression &bytes, WorkspaceZeroing zeroing);
};

/// K1 to K5 hold (the verifier's).
/// For scales.
mx::ScaleLayoutKind scaleLayoutKindOf(const AbiArgument &scales);

KernelSignature signatureOf(mx::KernelOp kernel);

} // namespace mxc
