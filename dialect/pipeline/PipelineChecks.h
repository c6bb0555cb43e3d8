// What the verifiers of pipeline operations ask: what stands before and around an operation, and whether a
// number fits. The lowering takes it for granted.
#pragma once

#include "dialect/pipeline/MxPipelineOps.h"

namespace mxc::mx {

inline constexpr int kWarpgroupWarps = 4;
inline constexpr int64_t kRowBytes = 128; // of an operand under the 128B swizzle

// Each of these returns what it names, or failure after an error on `op`.

/// The pipeline of the function in front of `op`, or in front of an operation that `op` stands in.
mlir::FailureOr<PipelineOp> pipelineBefore(mlir::Operation *op);
mlir::FailureOr<RoleOp> roleAround(mlir::Operation *op);
/// The operation that makes `ring`.
mlir::FailureOr<RingOp> ringOf(mlir::Operation *op, mlir::Value ring);

/// Whether `found`, which people call `what`, is in [least, most].
mlir::LogicalResult within(mlir::Operation *op, mlir::StringRef what, int64_t found, int64_t least,
                           int64_t most);
/// Whether the ring has the stage, where that is a constant.
mlir::LogicalResult verifyStage(mlir::Operation *op, RingOp ring, mlir::Value stage);
/// Whether a stage of the ring has the part, and the part at least so many bytes.
mlir::LogicalResult verifyPart(mlir::Operation *op, RingOp ring, int64_t part, int64_t bytes = 0);
/// Whether instructions of the kind take these elements and scales.
mlir::LogicalResult verifyKind(mlir::Operation *op, BlockMmaKind kind, mlir::Type a, mlir::Type b,
                               mlir::Type scale);
/// Whether the pointer is one to shared memory.
mlir::LogicalResult verifyPointer(mlir::Operation *op, mlir::StringRef what, mlir::Type type);

/// The innermost mx.fill, or mx.use, of the ring around `op`; null where none is.
template <class Step> Step stepAround(mlir::Operation *op, mlir::Value ring) {
  auto step = op->getParentOfType<Step>();
  while (step && step.getRing() != ring)
    step = step->template getParentOfType<Step>();
  return step;
}

template <class Step> mlir::LogicalResult requireStep(mlir::Operation *op, mlir::Value ring) {
  if (stepAround<Step>(op, ring)) return mlir::success();
  return op->emitOpError("expected ") << Step::getOperationName() << " of the ring around it, found none";
}

/// The ring or role before `op`, in its block, that has its name; null where none has.
template <class Op> mlir::Operation *namesakeBefore(Op op) {
  for (mlir::Operation &before : *op->getBlock()) {
    if (&before == op.getOperation()) return nullptr;
    if (auto other = mlir::dyn_cast<Op>(before); other && other.getName() == op.getName()) return other;
  }
  return nullptr;
}

} // namespace mxc::mx
