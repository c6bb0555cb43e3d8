// Where a row's scales lie, of groups that lie side by side (align = 1), whose scales have tiles of their
// own.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

/// The rows (i32) among the scales of `rows` (i32), none of which is before the one in front of it; rows that
/// there are, whatever the ends are. By each lane for itself: the first row's group is found by halves, the
/// others' from there on.
llvm::SmallVector<mlir::Value> compactScaleRows(const EntryFunction &entry, const ValueBuilder &v,
                                                llvm::StringRef ends, mlir::Value groups,
                                                llvm::ArrayRef<mlir::Value> rows, mlir::Value scaleRows);

} // namespace mxc
