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

// Rows of a lane's blocks along columns. The number of columns, or failure.
static FailureOr<int64_t> verifyBlockRows(Operation *op, ValueRange rows) {
  auto isBlock = [&](const mxc::BlockFormatInfo &format) {
    return format.blockColumns == int64_t(rows.size());
  };
  if (llvm::none_of(mxc::blockFormats(), isBlock))
    return op->emitOpError("needs the rows of a block, 16 or 32, found ") << rows.size();
  for (Value row : rows)
    if (row.getType() != rows.front().getType())
      return op->emitOpError("rows must have one type, found ")
             << rows.front().getType() << " and " << row.getType();
  int64_t columns = cast<VectorType>(rows.front().getType()).getNumElements();
  if (columns % 2 == 0) return columns;
  return op->emitOpError("needs an even number of columns, found ") << columns;
}

LogicalResult ColumnAmaxOp::verify() {
  FailureOr<int64_t> columns = verifyBlockRows(*this, getRows());
  if (failed(columns)) return failure();
  if (*columns == int64_t(getAmax().size())) return success();
  return emitOpError("needs one result a column, expected ") << *columns << ", found " << getAmax().size();
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

LogicalResult ConvertColumnsOp::verify() {
  FailureOr<int64_t> columns = verifyBlockRows(*this, getRows());
  if (failed(columns) || failed(verifyElement(*this, getElement()))) return failure();
  int64_t rows = getRows().size(), results = getTranspose() ? *columns : rows,
          codes = getTranspose() ? rows : *columns;
  if (*columns != int64_t(getMultipliers().size()))
    return emitOpError("needs one multiplier a column, expected ")
           << *columns << ", found " << getMultipliers().size();
  if (results != int64_t(getCodes().size()))
    return emitOpError("expected ") << results << " vectors of codes, found " << getCodes().size();
  for (Value vector : getCodes())
    if (cast<VectorType>(vector.getType()).getNumElements() != codes)
      return emitOpError("expected vectors of ") << codes << " codes, found " << vector.getType();
  return success();
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
