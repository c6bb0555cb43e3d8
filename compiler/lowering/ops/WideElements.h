// Elements in registers as f32.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// The elements of a vector of bf16, f16 or f32, exactly. bf16 is the upper half of an f32: a shift and a
/// mask.
llvm::SmallVector<mlir::Value> wideElements(const ValueBuilder &v, mlir::Value elements);

} // namespace mxc
