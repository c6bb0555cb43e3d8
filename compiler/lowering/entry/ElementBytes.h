// Where elements of any width lie in a row: in bytes, which are whole (semantics/constraints.md, K6).
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Bytes that `elements` of `bits` bits each take.
mlir::Value bytesOfElements(const ValueBuilder &v, mlir::Value elements, int64_t bits);

} // namespace mxc
