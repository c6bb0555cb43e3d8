// PTX as text, for what LLVM has no intrinsic for or must not look into.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

/// One instruction without effects.
mlir::Value pureAssembly(const ValueBuilder &v, mlir::Type type, llvm::StringRef text,
                         llvm::StringRef constraints, mlir::ValueRange operands);
/// Instructions that stay where they are; what touches memory says so in its constraints (~{memory}). No
/// result where `type` is null.
mlir::Value volatileAssembly(const ValueBuilder &v, mlir::Type type, llvm::StringRef text,
                             llvm::StringRef constraints, mlir::ValueRange operands);

} // namespace mxc::nvvm
