#include "dialect/pipeline/PipelineChecks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

FailureOr<PipelineOp> mx::pipelineBefore(Operation *op) {
  for (Operation *around = op; around && around->getBlock(); around = around->getParentOp()) {
    if (isa<FunctionOpInterface>(around)) break;
    for (Operation &before : *around->getBlock()) {
      if (&before == around) break;
      if (auto pipeline = dyn_cast<PipelineOp>(before)) return pipeline;
    }
  }
  op->emitOpError("expected mx.pipeline before it in its function, found none");
  return failure();
}

FailureOr<RoleOp> mx::roleAround(Operation *op) {
  if (auto role = op->getParentOfType<RoleOp>()) return role;
  op->emitOpError("expected mx.role around it, found none");
  return failure();
}

FailureOr<RingOp> mx::ringOf(Operation *op, Value ring) {
  if (auto made = ring.getDefiningOp<RingOp>()) return made;
  op->emitOpError("expected a ring that mx.ring makes, found another value");
  return failure();
}

LogicalResult mx::within(Operation *op, StringRef what, int64_t found, int64_t least, int64_t most) {
  if (found >= least && found <= most) return success();
  return op->emitOpError() << what << " expected " << least << " to " << most << ", found " << found;
}

LogicalResult mx::verifyStage(Operation *op, RingOp ring, Value stage) {
  APInt known;
  if (!matchPattern(stage, m_ConstantInt(&known))) return success();
  return within(op, "stage", known.getSExtValue(), 0, int64_t(ring.getStages()) - 1);
}

LogicalResult mx::verifyPart(Operation *op, RingOp ring, int64_t part, int64_t bytes) {
  if (failed(within(op, "part", int32_t(part), 0, int64_t(ring.getParts().size()) - 1))) return failure();
  if (ring.getParts()[part] >= bytes) return success();
  return op->emitOpError("expected at least ")
         << bytes << " bytes in part " << part << ", found " << ring.getParts()[part];
}

LogicalResult mx::verifyPointer(Operation *op, StringRef what, Type type) {
  if (cast<LLVM::LLVMPointerType>(type).getAddressSpace() == 3) return success();
  return op->emitOpError() << what << " expected !llvm.ptr<3>, found " << type;
}
