#include "dialect/MxOps.h"

using namespace mlir;
using namespace mxc::mx;

static bool isLanesPerBlock(uint32_t lanes) { return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8; }

LogicalResult BlockAmaxOp::verify() {
  if (getValues().size() != getValid().size() || getValues().size() != getAmax().size())
    return emitOpError("needs one valid flag and one result a vector of elements, found ")
           << getValues().size() << " vectors, " << getValid().size() << " flags, " << getAmax().size()
           << " results";
  if (!isLanesPerBlock(getLanes())) return emitOpError("lanes must be 1, 2, 4 or 8, found ") << getLanes();
  for (Value values : getValues()) {
    if (values.getType() != getValues().front().getType())
      return emitOpError("elements must have one type, found ")
             << getValues().front().getType() << " and " << values.getType();
    int64_t length = cast<VectorType>(values.getType()).getNumElements() * getLanes();
    auto isBlock = [&](const mxc::BlockFormatInfo &format) { return format.blockColumns == length; };
    if (llvm::none_of(mxc::blockFormats(), isBlock))
      return emitOpError("elements of ")
             << getLanes() << " lanes must make a block of 16 or 32, found " << values.getType();
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
                 succeeded(verifySameLength(*this, getValues().getType(), getCodes().getType())));
}

LogicalResult ConvertUnpackOp::verify() {
  return success(succeeded(verifyElement(*this, getElement())) &&
                 succeeded(verifySameLength(*this, getCodes().getType(), getValues().getType())));
}

LogicalResult BulkLoadOp::verify() {
  if (getBox().size() != 2)
    return emitOpError("box must be [rows, columns], found ") << getBox().size() << " extents";
  if (getOffsets().size() != getMaps().size())
    return emitOpError("needs the offset of every map, found ")
           << getOffsets().size() << " for " << getMaps().size() << " maps";
  if (getElementBytes().size() != getMaps().size())
    return emitOpError("needs the element bytes of every map, found ")
           << getElementBytes().size() << " for " << getMaps().size() << " maps";
  return success();
}
