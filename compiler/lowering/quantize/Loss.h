// What a conversion could not keep, counted over all CTAs in the kernel's own outputs: they are added to, so
// that many conversions may share them, and integers know no order.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

/// Whole warps: adds each lane's `count` (i32) to the i64 at `inexact`, and raises the f32 at `error`
/// to each lane's `largest` (i32, bits of a number that is not negative). Arguments that are null are
/// nothing.
void addLoss(EntryFunction &entry, const KernelSignature &signature, mlir::Value inexact, mlir::Value count,
             mlir::Value error = {}, mlir::Value largest = {});

} // namespace mxc
