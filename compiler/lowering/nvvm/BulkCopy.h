// cp.async.bulk: copies that the hardware makes on its own and completes on an mbarrier, by bytes.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

/// Of a tensor copy's place in shared memory, unswizzled.
inline constexpr int64_t kTensorCopyAlignment = 128;

/// The box of `map` (generic address of a tensor map) that begins at `coordinates` (i32, fastest first). A
/// box over an edge completes its full bytes too.
void copyBox(const ValueBuilder &v, Value shared, Value map, mlir::ValueRange coordinates, Value barrier);
/// `bytes` consecutive bytes from global memory, all multiples of 16.
void copyBytes(const ValueBuilder &v, Value shared, Value global, int64_t bytes, Value barrier);

} // namespace mxc::nvvm
