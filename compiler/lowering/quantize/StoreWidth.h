// How wide a store may be is known at run time: from rows, their distance and their length.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

inline constexpr int64_t kWidestStore = 16; // bytes

/// Emits stores of the widest pieces, of `widest` bytes down to `least`, that all of `places` (i64:
/// addresses and byte counts; the same in all threads of a CTA) are multiples of: a branch for each width.
/// They are multiples of `least`.
void withWidestStore(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> places, int64_t least,
                     llvm::function_ref<void(int64_t bytes)> emit, int64_t widest = kWidestStore);

} // namespace mxc
