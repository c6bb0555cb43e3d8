// What the lowerings of kernel-level operations to entry points with tile-level operations share.
#pragma once

#include "compiler/lowering/entry/KernelLoweringInterface.h"

namespace mxc {

/// Reports formats that code cannot be generated for yet: elements without a conversion (nvvm/Conversions.h),
/// scales without a rule.
mlir::LogicalResult requireGenerated(mlir::Operation *op, BlockFormat format, const Target &target);

/// The tiles of an op: its own, which the pass mx-select-tiles has filled in.
llvm::SmallVector<mx::QuantizeTileAttr> tilesOf(mlir::ArrayAttr tiles);

} // namespace mxc
