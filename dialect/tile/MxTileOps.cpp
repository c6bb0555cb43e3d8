#include "dialect/tile/MxTileOps.h"
#include "dialect/formats/Hadamard.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace mxc::mx;

#define GET_OP_CLASSES
#include "dialect/MxTileOps.cpp.inc"

// "16 or 32": the lengths of blocks that the table has.
static std::string blockLengths() {
  std::set<int> lengths;
  for (const mxc::BlockFormatInfo &format : mxc::blockFormats())
    lengths.insert(format.blockColumns);
  return llvm::join(llvm::map_range(lengths, [](int length) { return std::to_string(length); }), " or ");
}

static bool isBlockLength(int64_t length) {
  return llvm::any_of(mxc::blockFormats(), [&](const auto &format) { return format.blockColumns == length; });
}

LogicalResult BlockAmaxOp::verify() {
  if (getValues().size() != getValid().size() || getValues().size() != getAmax().size())
    return emitOpError("needs one valid flag and one result a vector of elements, found ")
           << getValues().size() << " vectors, " << getValid().size() << " flags, " << getAmax().size()
           << " results";
  if (!llvm::isPowerOf2_32(getLanes()) || !llvm::isPowerOf2_32(getStride()) ||
      uint64_t(getLanes()) * getStride() > 32)
    return emitOpError("lanes and stride must be powers of two within a warp's 32 lanes, found ")
           << getLanes() << " and " << getStride();
  for (Value values : getValues()) {
    if (values.getType() != getValues().front().getType())
      return emitOpError("elements must have one type, found ")
             << getValues().front().getType() << " and " << values.getType();
    int64_t length = cast<VectorType>(values.getType()).getNumElements() * getLanes();
    if (!isBlockLength(length))
      return emitOpError("elements of ") << getLanes() << " lanes must make a block of " << blockLengths()
                                         << ", found " << values.getType();
  }
  return success();
}

LogicalResult GatherScalesOp::verify() {
  if (getBytes().size() != 1 && getBytes().size() != 4)
    return emitOpError("takes the bytes of one row or of four, found ") << getBytes().size();
  constexpr uint32_t kMostLanes = 32 / mxc::kScaleTileBlocks; // a word's blocks lie in one warp
  if (!llvm::isPowerOf2_32(getLanes()) || getLanes() > kMostLanes)
    return emitOpError("lanes must be 1, 2, 4 or 8, found ") << getLanes();
  return success();
}

// Rows of a lane's blocks along columns. The number of columns, or failure.
static FailureOr<int64_t> verifyBlockRows(Operation *op, ValueRange rows) {
  if (!isBlockLength(rows.size()))
    return op->emitOpError("needs the rows of a block, ") << blockLengths() << ", found " << rows.size();
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

static LogicalResult verifyScale(Operation *op, Type scale) {
  std::optional<mxc::ScaleFormat> format = mxc::mx::scaleFormatOf(scale);
  if (format && mxc::info(*format).rule != mxc::ScaleRule::None) return success();
  return op->emitOpError("scale must be a format of scales with a rule, found ") << scale;
}

static LogicalResult verifyFormats(Operation *op, Type element, Type scale) {
  return success(succeeded(verifyElement(op, element)) && succeeded(verifyScale(op, scale)));
}

// The words of `count` codes.
static LogicalResult verifyWords(Operation *op, Type codes, int64_t count, Type element) {
  int64_t words = mxc::mx::wordsOf(element, count);
  if (cast<VectorType>(codes).getNumElements() == words) return success();
  return op->emitOpError("expected the codes of ")
         << count << " elements of " << element << " in vector<" << words << "xi32>, found " << codes;
}

LogicalResult EncodeScaleOp::verify() {
  if (failed(verifyFormats(*this, getElement(), getScale()))) return failure();
  const bool isTwoLevel = mxc::info(*scaleFormatOf(getScale())).rule == mxc::ScaleRule::TwoLevel;
  if (getToFour() && !isTwoLevel) return emitOpError("to_four is for scales of ue4m3, found ") << getScale();
  if (isTwoLevel == bool(getTensorScale())) return success();
  return emitOpError("expected ") << (isTwoLevel ? "a" : "no") << " scale of the tensor beside scales of "
                                  << getScale();
}
LogicalResult DecodeScaleOp::verify() { return verifyScale(*this, getScale()); }

static int64_t lengthOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

LogicalResult HadamardOp::verify() {
  const int64_t count = lengthOf(getValues());
  const bool isWhole =
      getLanes() == 1 ? count % mxc::kHadamardElements == 0 : count * getLanes() == mxc::kHadamardElements;
  if (!isWhole || count % 2 != 0)
    return emitOpError("elements of ")
           << getLanes() << " lanes must be " << mxc::kHadamardElements
           << ", an even number each, or of one lane a multiple, found " << getValues().getType();
  const Type expected = VectorType::get(count, Builder(getContext()).getBF16Type());
  if (getType() == expected) return success();
  return emitOpError("expected results of ") << expected << ", found " << getType();
}

LogicalResult HadamardColumnsOp::verify() {
  FailureOr<int64_t> columns = verifyBlockRows(*this, getRows());
  if (failed(columns)) return failure();
  if (getRows().size() != getTransformed().size())
    return emitOpError("expected a result for each of ")
           << getRows().size() << " rows, found " << getTransformed().size();
  const Type expected = VectorType::get(2, Builder(getContext()).getBF16Type());
  for (Type type : getTransformed().getTypes())
    if (*columns != 2 || type != expected)
      return emitOpError("expected rows of two columns and results of ")
             << expected << ", found rows of " << *columns << " and results of " << type;
  return success();
}

LogicalResult ConvertPackOp::verify() {
  const int64_t count = lengthOf(getValues());
  if (failed(verifyFormats(*this, getElement(), getScale())) ||
      failed(verifyWords(*this, getCodes().getType(), count, getElement())))
    return failure();
  const bool isStochastic = getRounding() == CodeRounding::Stochastic;
  if (isStochastic && mxc::info(*elementFormatOf(getElement())).bits() != 4)
    return emitOpError("rounding = stochastic is for elements of 4 bits, found ") << getElement();
  const int64_t words = isStochastic ? llvm::divideCeil(count, mxc::kRandomOfWord) : 0;
  if (words == int64_t(getRandom().size())) return success();
  return emitOpError("expected ") << words << " words of random bits, found " << getRandom().size();
}

LogicalResult BlockErrorOp::verify() {
  const int64_t count = lengthOf(getValues());
  if (failed(verifyFormats(*this, getElement(), getScale())) ||
      failed(verifyWords(*this, getCodes().getType(), count, getElement())))
    return failure();
  if (llvm::isPowerOf2_32(getLanes()) && count % mxc::kErrorRun == 0 &&
      count * getLanes() == mxc::kFourOverSixElements)
    return success();
  return emitOpError("elements of ") << getLanes() << " lanes must be " << mxc::kFourOverSixElements << ", "
                                     << mxc::kErrorRun << " or more each, found " << getValues().getType();
}

LogicalResult ConvertColumnsOp::verify() {
  FailureOr<int64_t> columns = verifyBlockRows(*this, getRows());
  if (failed(columns) || failed(verifyFormats(*this, getElement(), getScale()))) return failure();
  int64_t rows = getRows().size(), results = getTranspose() ? *columns : rows,
          codes = getTranspose() ? rows : *columns;
  if (*columns != int64_t(getMultipliers().size()))
    return emitOpError("needs one multiplier a column, expected ")
           << *columns << ", found " << getMultipliers().size();
  if (!getTranspose() && mxc::info(*elementFormatOf(getElement())).bits() % 8 != 0)
    return emitOpError("packs elements of ") << getElement() << " along columns alone: expected transpose";
  if (results != int64_t(getCodes().size()))
    return emitOpError("expected ") << results << " vectors of codes, found " << getCodes().size();
  for (Value vector : getCodes())
    if (failed(verifyWords(*this, vector.getType(), codes, getElement()))) return failure();
  return success();
}

LogicalResult ConvertUnpackOp::verify() {
  return success(succeeded(verifyElement(*this, getElement())) &&
                 succeeded(verifyWords(*this, getCodes().getType(), lengthOf(getValues()), getElement())));
}
