// Entry points of mx.quantize along columns, or along both axes: one a tile that its shapes allow.
#pragma once

#include "compiler/lowering/entry/KernelSignature.h"
#include "compiler/lowering/entry/TileTable.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace mxc {

/// Failure after an error at `op`.
mlir::LogicalResult emitColumnTiles(mx::QuantizeOp op, mlir::ModuleOp module, const Target &target,
                                    KernelSignature &signature);

/// What the heuristics choose: of the target's lists, or tiles without boxes where those of the inputs do not
/// fit its shared memory.
Tiles defaultColumnTiles(mx::QuantizeOp op, const Target &target);
/// What a tuner tries: those of the target's that have the columns which a maximum is of.
Tiles candidateColumnTiles(mx::QuantizeOp op, const Target &target);

} // namespace mxc
