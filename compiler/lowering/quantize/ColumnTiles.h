// Entry points of mx.quantize along columns, or along both axes: one a tile that its shapes allow.
#pragma once

#include "compiler/lowering/KernelSignature.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace mxc {

/// Failure after an error at `op`.
mlir::LogicalResult emitColumnTiles(mx::QuantizeOp op, mlir::ModuleOp module, const Target &target,
                                    KernelSignature &signature);

} // namespace mxc
