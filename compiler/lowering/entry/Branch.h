// Structured control flow, without its dialect's headers.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Emits `body` for the threads that meet `condition` (i1).
void ifThen(const ValueBuilder &v, mlir::Value condition, llvm::function_ref<void()> body);

/// The value at `address`, where `condition` (i1) holds, else zero; nothing is read there.
mlir::Value loadIf(const ValueBuilder &v, mlir::Value condition, mlir::Type type, mlir::Value address,
                   unsigned alignment);

} // namespace mxc
