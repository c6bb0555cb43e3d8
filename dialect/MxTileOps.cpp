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
  for (Value fragment : getFragments()) {
    if (fragment.getType() != getFragments().front().getType())
      return emitOpError("fragments must have one type, found ")
             << getFragments().front().getType() << " and " << fragment.getType();
    if (cast<VectorType>(fragment.getType()).getNumElements() * getLanes() != mxc::kBlockSize)
      return emitOpError("fragments of ")
             << getLanes() << " lanes must make a block of 32, found " << fragment.getType();
  }
  return success();
}

LogicalResult GatherScalesOp::verify() {
  if (getBytes().size() != 1 && getBytes().size() != 4)
    return emitOpError("takes the bytes of one row or of four, found ") << getBytes().size();
  if (!isLanesPerBlock(getLanes())) return emitOpError("lanes must be 1, 2, 4 or 8, found ") << getLanes();
  return success();
}

static LogicalResult verifyElement(Operation *op, Type element) {
  if (mxc::mx::elementFormatOf(element)) return success();
  return op->emitOpError("element must be an MX element format, found ") << element;
}

static LogicalResult verifySameLength(Operation *op, Type a, Type b) {
  if (cast<VectorType>(a).getNumElements() == cast<VectorType>(b).getNumElements()) return success();
  return op->emitOpError("must have as many codes as values, found ") << a << " and " << b;
}

LogicalResult EncodeScaleOp::verify() { return verifyElement(*this, getElement()); }

LogicalResult ConvertPackOp::verify() {
  return success(succeeded(verifyElement(*this, getElement())) &&
                 succeeded(verifySameLength(*this, getFragment().getType(), getCodes().getType())));
}

LogicalResult ConvertUnpackOp::verify() {
  return success(succeeded(verifyElement(*this, getElement())) &&
                 succeeded(verifySameLength(*this, getCodes().getType(), getFragment().getType())));
}

LogicalResult BulkLoadOp::verify() {
  if (getBox().size() != 2)
    return emitOpError("box must be [rows, columns], found ") << getBox().size() << " extents";
  if (getElementBytes().size() != getMaps().size())
    return emitOpError("needs the element bytes of every map, found ")
           << getElementBytes().size() << " for " << getMaps().size() << " maps";
  return success();
}
