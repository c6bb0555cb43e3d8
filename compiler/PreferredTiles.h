// Tiles that somebody measured, before those of the heuristics.
#pragma once

#include "compiler/CompileOptions.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace mxc {

/// Writes them down in front of the target's own at each operation that has none written: the first whose
/// condition holds is launched. Kernels that are not there are passed over. Failure after an error at the
/// operation: a tile that is none of its kind.
mlir::LogicalResult preferTiles(mlir::ModuleOp module, const Target &target,
                                llvm::ArrayRef<PreferredTile> preferred);

} // namespace mxc
