#include "dialect/MxOps.h"

using namespace mlir;
using namespace mxc::mx;

static bool isLanesPerBlock(uint32_t lanes) { return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8; }

LogicalResult BlockAmaxOp::verify() {
  if (getFragments().size() != getValid().size() || getFragments().size() != getAmax().size())
    return emitOpError("needs one valid flag and one result a fragment, found ")
           << getFragments().size() << " fragments, " << getValid().size() << " flags, " << getAmax().size()
           << " results";
  if (!isLanesPerBlock(getLanes())) return emitOpError("lanes must be 1, 2, 4 or 8, found ") << getLanes();
  for (Value fragment : getFragments())
    if (cast<VectorType>(fragment.getType()).getNumElements() * getLanes() != mxc::kBlockSize)
      return emitOpError("fragments of ")
             << getLanes() << " lanes must make a block of 32, found " << fragment.getType();
  return success();
}

LogicalResult GatherScalesOp::verify() {
  if (getBytes().size() != 1 && getBytes().size() != 4)
    return emitOpError("takes the bytes of one row or of four, found ") << getBytes().size();
  if (!isLanesPerBlock(getLanes())) return emitOpError("lanes must be 1, 2, 4 or 8, found ") << getLanes();
  return success();
}
