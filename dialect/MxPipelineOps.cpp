#include "dialect/MxOps.h"

using namespace mlir;
using namespace mxc::mx;

LogicalResult RingOp::verify() {
  if (getStages() < 1) return emitOpError("needs at least one stage, found ") << getStages();
  if (getOverlap() && (getStages() != 2 || getOverlap() > getColumns()))
    return emitOpError("overlap is of two stages, by at most their columns (")
           << getColumns() << "), found " << getStages() << " stages that overlap by " << getOverlap();
  for (int64_t bytes : getParts())
    if (bytes <= 0 || bytes % 16) return emitOpError("parts must be multiples of 16 bytes, found ") << bytes;
  return success();
}

void NextOp::build(OpBuilder &, OperationState &) {}
