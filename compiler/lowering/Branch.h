// Structured control flow, without its dialect's headers.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

namespace mxc {

/// Emits `body` for the threads that meet `condition` (i1).
void ifThen(const ValueBuilder &v, mlir::Value condition, llvm::function_ref<void()> body);

} // namespace mxc
