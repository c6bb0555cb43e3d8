// From a plan to an entry point: budget, variant, function and the launch's dependencies, the same for every
// op.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"
#include "compiler/lowering/entry/SharedLayout.h"
#include "compiler/targets/Target.h"

namespace mxc {

/// One entry point of a kernel before anything is emitted.
struct EntryPlan {
  AbiVariant variant;       // condition, alignments, tile, grid and block; the rest is filled in
  uint32_t mostThreads = 0; // of a CTA, where later variants share the entry; 0: it is the variant's alone
  llvm::SmallVector<TensorMapRecipe> maps;
  llvm::SmallVector<std::string> workspaces; // of the ABI's, those that it uses
  SharedLayout shared;
};

/// Adds the variant to `signature.abi` and its function to `module`; nothing where an earlier variant takes
/// all that this one would. `body` emits what the CTAs do. Returns the entry's name, "" of nothing. Failure
/// after an error at `op`: more shared memory than the target has.
mlir::FailureOr<std::string> emitEntry(mlir::Operation *op, mlir::ModuleOp module, const Target &target,
                                       KernelSignature &signature, EntryPlan plan,
                                       llvm::function_ref<void(EntryFunction &)> body);

/// Adds a variant that launches the entry point of an earlier one, with the same parameters and shared
/// memory; nothing where an earlier variant takes all that this one would.
void shareEntry(KernelSignature &signature, AbiVariant variant, llvm::StringRef entry);

/// When the next grid may start: as late as its own way to the wait allows
/// (docs/decisions/0028-when-the-next-grid-starts.md).
enum class NextGrid {
  BeforeWaiting,
  ByBody // `body` says so, after its bulk copies
};

/// Emits `body` for the CTAs that have work (i1), once earlier grids' writes are visible.
void whereWork(const ValueBuilder &v, mlir::Value hasWork, llvm::function_ref<void()> body,
               NextGrid next = NextGrid::BeforeWaiting);

/// The address of the entry's shared memory.
mlir::Value sharedMemory(const ValueBuilder &v, const SharedLayout &layout);

} // namespace mxc
