// A module of LLVM and NVVM dialects to LLVM IR, and that to PTX, in this process.
#pragma once

#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mxc {

/// The optimized LLVM IR; libdevice is linked where the module calls it. Failure after an error on `module`.
mlir::FailureOr<std::string> moduleToLlvmText(mlir::ModuleOp module, const Target &target);

/// PTX text, or failure after an error on `module`. Entries that can be compiled apart are, on as many
/// threads as there are processors, and are taken out of the module. What has no instruction ends in
/// llvm::report_fatal_error: to be run under fatalErrorOf.
mlir::FailureOr<std::string> moduleToPtx(mlir::ModuleOp module, const Target &target);

} // namespace mxc
