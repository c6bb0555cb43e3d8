// MLIR text of strangers as a module with kernels: what every reader of a source begins with.
#pragma once

#include "compiler/SourceDiagnostics.h"
#include "dialect/formats/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <string_view>

namespace mxc {

class SourceModule {
public:
  /// Throws mxc::Error (InvalidInput, what MLIR says of it): text that MLIR's parser cannot take or does not
  /// understand, no mx.kernel in it, or one where the passes do not look.
  SourceModule(std::string_view source, std::string_view sourceName);

  mlir::MLIRContext &context() { return context_; }
  mlir::ModuleOp module() { return *module_; }

  /// What was reported so far, as text.
  const std::string &messages() const { return diagnostics_.text(); }
  /// Throws what was reported so far.
  [[noreturn]] void fail(ErrorKind kind = ErrorKind::InvalidInput) const;

private:
  void checkKernels();

  std::string sourceName_;
  mlir::MLIRContext context_;
  llvm::SourceMgr sources_;
  SourceDiagnostics diagnostics_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

/// Does the work on a thread with the stack that LLVM wants, and throws what it throws. What LLVM calls fatal
/// becomes mxc::Error (InvalidInput) that says what it was `doing` by then.
void guarded(std::string_view sourceName, const std::string &doing, llvm::function_ref<void()> work);

} // namespace mxc
