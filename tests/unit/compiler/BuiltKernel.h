// PTX for sm_90a of a kernel whose body a test builds.
#pragma once

#include "mlir/IR/Builders.h"

#include <string>

/// For kernel "test" of two pointers to global memory and one CTA of `threads`; empty after a printed error.
/// `emit` builds in front of the function's end.
std::string ptxOfKernel(int threads,
                        llvm::function_ref<void(mlir::OpBuilder &b, mlir::Operation *function)> emit);
