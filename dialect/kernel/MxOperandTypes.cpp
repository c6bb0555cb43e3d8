// What the types of kernel-level operands say: formats, layouts, shapes that must agree.
#include "dialect/kernel/MxKernelOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mxc::mx;

std::optional<mxc::BlockFormat> mxc::mx::blockFormatOf(Type data, Type scales, DenseI64ArrayAttr block) {
  auto element = elementFormatOf(getElementTypeOrSelf(data));
  auto scale = scaleFormatOf(getElementTypeOrSelf(scales));
  if (!element || !scale || (block && block.size() != 2)) return std::nullopt;
  std::optional<BlockShape> shape;
  if (block) shape = shapeOf(block);
  return mxc::blockFormatOf(*element, *scale, shape);
}

mxc::BlockShape mxc::mx::shapeOf(DenseI64ArrayAttr block) { return {block[0], block[1]}; }

std::string mxc::mx::textOfBlock(DenseI64ArrayAttr block) {
  return llvm::join(
      llvm::map_range(block.asArrayRef(), [](int64_t extent) { return std::to_string(extent); }), "x");
}

std::optional<mxc::ScaleLayout> mxc::mx::scaleLayoutOf(MemRefType type) {
  if (auto layout = dyn_cast<ScaleLayoutAttr>(type.getLayout())) return ScaleLayout(layout.getKind());
  if (isa<AffineMapAttr>(type.getLayout()) && type.getLayout().isIdentity()) return ScaleLayout::Dense;
  return std::nullopt;
}

bool mxc::mx::isResultElement(Type element) { return element.isBF16() || element.isF16() || element.isF32(); }

bool mxc::mx::agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

LogicalResult mxc::mx::verifySameShape(Operation *op, StringRef constraint, MemRefType a, StringRef aName,
                                       MemRefType b, StringRef bName) {
  for (unsigned dim : {0, 1})
    if (!agree(a.getDimSize(dim), b.getDimSize(dim)))
      return op->emitOpError() << bName << " must have the shape of " << aName << " " << a << ", found " << b
                               << " [" << constraint << "]";
  return success();
}

LogicalResult mxc::mx::verifyBlockFormat(Operation *op, StringRef constraint, MemRefType data,
                                         MemRefType scales, DenseI64ArrayAttr block) {
  if (blockFormatOf(data, scales, block)) return success();
  InFlightDiagnostic error = op->emitOpError("data and scales must make a block format (");
  llvm::interleaveComma(blockFormats(), error, [&](const BlockFormatInfo &format) {
    error << StringRef(format.name) << " of " << StringRef(info(format.element).mlirType) << " and "
          << StringRef(info(format.scale).mlirType);
  });
  error << "), found " << data.getElementType() << " and " << scales.getElementType();
  if (block) error << " with block = " << textOfBlock(block);
  return error << " [" << constraint << "]";
}

LogicalResult mxc::mx::verifyScaleLayout(Operation *op, StringRef constraint, MemRefType scales) {
  std::optional<ScaleLayout> layout = scaleLayoutOf(scales);
  if (!layout)
    return op->emitOpError("scales must have the default layout or a #mx.scale_layout, found ")
           << scales << " [" << constraint << "]";
  const bool isGiven = info(*layout).users == ScaleUsers::Given;
  if (info(*layout).users != ScaleUsers::Kernels && !isa<ConvertScalesOp>(op) &&
      !(isGiven && isa<QuantizeOp>(op)))
    return op->emitOpError("the layout ")
           << StringRef(name(*layout))
           << (isGiven ? " is another library's, which mx.quantize writes and mx.convert_scales reads and "
                         "writes, found "
                       : " is another library's, which mx.convert_scales alone reads and writes, found ")
           << scales << " [" << constraint << "]";
  if (info(*layout).takes(scales.getElementTypeBitWidth())) return success();
  return op->emitOpError("the layout ")
         << StringRef(name(*layout)) << " is for scales of " << info(*layout).scaleBits << " bits, found "
         << scales << " [" << constraint << "]";
}

LogicalResult mxc::mx::verifyScalesShape(Operation *op, StringRef constraint, MemRefType data,
                                         const BlockFormatInfo &format, MemRefType scales) {
  if (failed(verifyScaleLayout(op, constraint, scales))) return failure();
  int64_t rows = data.getDimSize(0), columns = data.getDimSize(1);
  int64_t blocks = ShapedType::isDynamic(columns) ? columns : format.blocks(columns),
          blocksOfRows = ShapedType::isDynamic(rows) ? rows : format.blocksOfRows(rows);
  if (!agree(blocksOfRows, scales.getDimSize(0)) || !agree(blocks, scales.getDimSize(1))) {
    std::string lines =
        format.blockRows == 1 ? "rows" : "ceil(rows/" + std::to_string(format.blockRows) + ")";
    InFlightDiagnostic error = op->emitOpError("scales must have shape [")
                               << lines << ", ceil(columns/" << format.blockColumns << ")] of " << data
                               << ", found " << scales;
    return error << " [" << constraint << "]";
  }
  return success();
}

LogicalResult mxc::mx::verifyTensorScale(Operation *op, StringRef constraint, const BlockFormatInfo &format,
                                         Value tensorScale, int64_t count) {
  const bool isNeeded = format.tensorScale == TensorScale::Tensor;
  if (isNeeded != bool(tensorScale))
    return op->emitOpError("block format ")
           << StringRef(format.name) << " has " << (isNeeded ? "a" : "no")
           << " scale for the whole tensor, found "
           << (tensorScale ? "tensor_scale(..)" : "no tensor_scale(..)") << " [" << constraint << "]";
  if (!tensorScale || cast<MemRefType>(tensorScale.getType()).getDimSize(0) == count) return success();
  return op->emitOpError("tensor_scale must be memref<")
         << count << "xf32>, found " << tensorScale.getType() << " [" << constraint << "]";
}

void mxc::mx::addTensorSense(AbiAttributes &attributes, TensorSense sense) {
  if (sense != TensorSense::Scale) attributes["tensor_sense"] = stringifyTensorSense(sense).str();
}

void mxc::mx::addLossOperands(SmallVectorImpl<KernelOperand> &operands, unsigned dimensions, Value inexact,
                              Value error) {
  for (auto [value, role] : {std::pair(inexact, OperandRole::Inexact), std::pair(error, OperandRole::Error)})
    if (value)
      operands.push_back(
          {.value = value,
           .shape = AffineMap::get(dimensions, 0, getAffineConstantExpr(1, value.getContext())),
           .role = role,
           .isOutput = true,
           .isRead = true});
}

LogicalResult mxc::mx::verifyLoss(Operation *op, StringRef constraint, Value inexact, Value error) {
  for (auto [value, text] :
       {std::pair(inexact, "inexact must be memref<1xi64>"), std::pair(error, "error must be memref<1xf32>")})
    if (value && cast<MemRefType>(value.getType()).getDimSize(0) != 1)
      return op->emitOpError(text) << ", found " << value.getType() << " [" << constraint << "]";
  return success();
}

KernelOperand mxc::mx::tensorScaleOperand(Value tensorScale, Value partner, int64_t count) {
  MLIRContext *context = tensorScale.getContext();
  return {.value = tensorScale,
          .shape = AffineMap::get(1, 0, getAffineConstantExpr(count, context)),
          .role = OperandRole::TensorScale,
          .partner = partner};
}

FailureOr<MemRefType> mxc::mx::joinShapes(Operation *op, StringRef constraint, Type data, StringRef name,
                                          TypeRange others, StringRef dataName) {
  auto shape = cast<MemRefType>(data);
  for (Type other : others) {
    auto type = cast<MemRefType>(other);
    if (failed(verifySameShape(op, constraint, shape, dataName, type, name))) return failure();
    SmallVector<int64_t> joined(shape.getShape());
    for (auto [extent, own] : llvm::zip(joined, type.getShape()))
      if (ShapedType::isDynamic(extent)) extent = own;
    shape = MemRefType::get(joined, shape.getElementType());
  }
  return shape;
}
