#include "dialect/pipeline/PipelineChecks.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static LogicalResult verifyCounter(Operation *op) {
  return success(succeeded(pipelineBefore(op)) && succeeded(roleAround(op)));
}

LogicalResult TicketOp::verify() { return verifyCounter(*this); }
LogicalResult PublishOp::verify() { return verifyCounter(*this); }

LogicalResult AwaitOp::verify() {
  if (failed(verifyCounter(*this))) return failure();
  if (getCounts().empty()) return emitOpError("expected counts, found none");
  if (int32_t(getComplete()) < 1)
    return emitOpError("complete expected at least 1, found ") << int32_t(getComplete());
  return success();
}

LogicalResult LastOfOp::verify() {
  if (failed(verifyCounter(*this))) return failure();
  if (int32_t(getCount()) < 1) return emitOpError("count expected at least 1, found ") << int32_t(getCount());
  return success();
}

LogicalResult LeaveOp::verify() {
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(pipeline) || failed(roleAround(*this))) return failure();
  return within(*this, "warps", int32_t(getWarps()), 1, pipeline->getWarps());
}
