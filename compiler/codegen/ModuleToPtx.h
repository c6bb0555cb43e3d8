// A module of LLVM and NVVM dialects to LLVM IR, and that to PTX, in this process.
#pragma once

#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace mxc {

/// The optimized LLVM IR; libdevice is linked where the module calls it. Failure after an error on `module`.
mlir::FailureOr<std::string> moduleToLlvmText(mlir::ModuleOp module, const Target &target);

/// Writes one module after the other, each in an LLVM context of its own.
class PtxWriter {
public:
  explicit PtxWriter(const Target &target);
  ~PtxWriter();
  /// PTX text, or failure after an error on `module`. What has no instruction ends in
  /// llvm::report_fatal_error: to be run under fatalErrorOf.
  mlir::FailureOr<std::string> write(mlir::ModuleOp module);

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

} // namespace mxc
