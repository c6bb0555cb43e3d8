// Where a row's scales lie, of groups that lie side by side (align = 1), whose scales have tiles of their
// own.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

/// The row (i32) among the scales of row `row` (i32); one of them whatever the ends are. By each lane for
/// itself, one group after the other: for rows that are looked at once.
mlir::Value compactScaleRow(const EntryFunction &entry, const ValueBuilder &v, llvm::StringRef ends,
                            mlir::Value groups, mlir::Value row, mlir::Value scaleRows);

} // namespace mxc
