// A module of LLVM and NVVM dialects to LLVM IR, and that to PTX, in this process.
#pragma once

#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mxc {

/// Translates and optimizes; libdevice is linked where the module calls it. Null after an error on `module`.
std::unique_ptr<llvm::Module> moduleToLlvm(mlir::ModuleOp module, const Target &target,
                                           llvm::LLVMContext &context);

/// PTX text, or failure after an error on `location`. What has no instruction ends in
/// llvm::report_fatal_error: to be run under fatalErrorOf.
mlir::FailureOr<std::string> llvmToPtx(std::unique_ptr<llvm::Module> llvmModule, const Target &target,
                                       mlir::Location location);

std::string llvmText(const llvm::Module &llvmModule);

} // namespace mxc
