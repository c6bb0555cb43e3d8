// From kernel-level operations to entry points with tile-level operations: one function an op family.
#pragma once

#include "compiler/lowering/KernelSignature.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace mxc {

/// Each adds the kernel's entry points to `module` and their variants to `signature.abi`, or reports an error
/// at `op`.
mlir::LogicalResult lowerQuantize(mx::QuantizeOp op, mlir::ModuleOp module, const Target &target,
                                  KernelSignature &signature);
mlir::LogicalResult lowerDequantize(mx::DequantizeOp op, mlir::ModuleOp module, const Target &target,
                                    KernelSignature &signature);
mlir::LogicalResult lowerPackScales(mx::PackScalesOp op, mlir::ModuleOp module, const Target &target,
                                    KernelSignature &signature);
mlir::LogicalResult lowerUnpackScales(mx::UnpackScalesOp op, mlir::ModuleOp module, const Target &target,
                                      KernelSignature &signature);

/// Reports formats that code cannot be generated for yet.
mlir::LogicalResult requireFp8(mlir::Operation *op, mlir::Type element, const Target &target);

/// Every choice of a tile, as --tile takes it.
std::string tileText(mx::QuantizeTileAttr tile);

/// The tiles of an op: its own, which the pass mx-select-tiles has filled in.
llvm::SmallVector<mx::QuantizeTileAttr> tilesOf(mlir::ArrayAttr tiles);

} // namespace mxc
