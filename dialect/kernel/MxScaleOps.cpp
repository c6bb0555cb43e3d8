#include "dialect/kernel/MxScaleClauses.h"

using namespace mlir;
using namespace mxc::mx;

static LogicalResult verifyCopy(Operation *op, MemRefType source, mxc::ScaleLayout sourceLayout,
                                MemRefType destination, mxc::ScaleLayout destinationLayout) {
  if (mxc::mx::scaleLayoutOf(source) != sourceLayout)
    return op->emitOpError("source must have layout ")
           << StringRef(mxc::name(sourceLayout)) << ", found " << source << " [S1]";
  if (mxc::mx::scaleLayoutOf(destination) != destinationLayout)
    return op->emitOpError("destination must have layout ")
           << StringRef(mxc::name(destinationLayout)) << ", found " << destination << " [S1]";
  if (failed(mxc::mx::verifyScaleLayout(op, "S1", source)) ||
      failed(mxc::mx::verifyScaleLayout(op, "S1", destination)))
    return failure();
  if (source.getElementType() != destination.getElementType())
    return op->emitOpError("source and destination must have one type of scales, found ")
           << source.getElementType() << " and " << destination.getElementType() << " [S2]";
  return verifySameShape(op, "S2", source, "the source", destination, "the destination");
}

LogicalResult PackScalesOp::verify() {
  return verifyCopy(*this, cast<MemRefType>(getSource().getType()), mxc::ScaleLayout::Dense,
                    cast<MemRefType>(getDestination().getType()), mxc::ScaleLayout::Tcgen05);
}

LogicalResult UnpackScalesOp::verify() {
  return verifyCopy(*this, cast<MemRefType>(getSource().getType()), mxc::ScaleLayout::Tcgen05,
                    cast<MemRefType>(getDestination().getType()), mxc::ScaleLayout::Dense);
}

static SmallVector<KernelOperand> copyOperands(Value source, Value destination) {
  AffineMap shape = matrixShape(source.getContext());
  return {{.value = source, .shape = shape, .role = OperandRole::Scales},
          {.value = destination, .shape = shape, .role = OperandRole::Scales, .isOutput = true}};
}

ParseResult mxc::mx::parseConvertScalesClauses(OpAsmParser &parser, DenseI64ArrayAttr &block,
                                               DenseI64ArrayAttr &blockTo) {
  return parseClauses(
      parser, {valueClause(parser, "block", [&] { return parseBlockChange(parser, block, blockTo); })},
      {{"inexact", "directly after 'outs'"}});
}

void mxc::mx::printConvertScalesClauses(OpAsmPrinter &p, ConvertScalesOp, DenseI64ArrayAttr block,
                                        DenseI64ArrayAttr blockTo) {
  if (block) p << " block = " << textOfBlock(block) << " to " << textOfBlock(blockTo);
}

mxc::BlockShape ConvertScalesOp::getRepeats() {
  if (!getBlockAttr()) return {1, 1};
  return *wholeBlocks(shapeOf(getBlockAttr()), shapeOf(getBlockToAttr()));
}

// S4: the blocks.
static LogicalResult verifyBlockChange(ConvertScalesOp op) {
  DenseI64ArrayAttr from = op.getBlockAttr(), to = op.getBlockToAttr();
  if (!from && !to) return success();
  for (DenseI64ArrayAttr block : {from, to})
    if (!block || !mxc::blockShapeNamed(textOfBlock(block)))
      return op.emitOpError("block must be those of two block formats, as 1x128 to 1x32, found ")
             << (block ? textOfBlock(block) : "one alone") << " [S4]";
  if (mxc::wholeBlocks(shapeOf(from), shapeOf(to))) return success();
  InFlightDiagnostic error =
      op.emitOpError("blocks of the source must be made of whole blocks of the destination, found ")
      << textOfBlock(from) << " to " << textOfBlock(to);
  if (to[0] % from[0] == 0 && to[1] % from[1] == 0)
    error << ": elements change where blocks grow, which is mx.requantize's";
  return error << " [S4]";
}

LogicalResult ConvertScalesOp::verify() {
  MemRefType source = getSource().getType(), destination = getDestination().getType();
  for (MemRefType scales : {source, destination})
    if (failed(verifyScaleLayout(*this, "S3", scales))) return failure();
  const mxc::ScaleFormat from = *scaleFormatOf(source.getElementType()),
                         to = *scaleFormatOf(destination.getElementType());
  if (!mxc::convertsScales(from, to))
    return emitOpError("source and destination must have one type of scales, or f32 and f8E8M0FNU, found ")
           << source.getElementType() << " and " << destination.getElementType() << " [S3]";
  if (failed(verifyBlockChange(*this))) return failure();
  if (source.getRank() != destination.getRank())
    return emitOpError("source and destination must have one rank, found ")
           << source << " and " << destination << " [S4]";
  const mxc::BlockShape repeats = getRepeats();
  const std::tuple<int64_t, int64_t, StringRef> dimensions[] = {
      {3, 1, " matrices"}, {2, repeats.rows, " rows"}, {1, repeats.columns, " blocks a row"}};
  for (auto [fromLast, times, what] : ArrayRef(dimensions).take_back(source.getRank())) {
    const int64_t dimension = source.getRank() - fromLast, whole = destination.getDimSize(dimension);
    const int64_t expected = ShapedType::isDynamic(whole) ? whole : llvm::divideCeil(whole, times);
    if (!agree(source.getDimSize(dimension), expected))
      return emitOpError("source must have ")
             << expected << what << " of the destination's " << whole << ", found " << source << " [S4]";
  }
  if (getInexact() && (from != mxc::ScaleFormat::F32 || to == from))
    return emitOpError("inexact(..) is for scales of f32 that become f8E8M0FNU, found ")
           << source.getElementType() << " and " << destination.getElementType() << " [S5]";
  return verifyLoss(*this, "S5", getInexact());
}

static const StringRef kDimensionNames[] = {"M", "KB", "B"}; // columns are blocks

ArrayRef<StringRef> PackScalesOp::getDimensionNames() { return ArrayRef(kDimensionNames).take_front(2); }
ArrayRef<StringRef> UnpackScalesOp::getDimensionNames() { return ArrayRef(kDimensionNames).take_front(2); }
SmallVector<KernelOperand> PackScalesOp::getKernelOperands() {
  return copyOperands(getSource(), getDestination());
}
SmallVector<KernelOperand> UnpackScalesOp::getKernelOperands() {
  return copyOperands(getSource(), getDestination());
}
ArrayRef<StringRef> ConvertScalesOp::getDimensionNames() {
  return ArrayRef(kDimensionNames).take_front(isBatched() ? 3 : 2);
}
SmallVector<KernelOperand> ConvertScalesOp::getKernelOperands() {
  const mxc::BlockShape repeats = getRepeats();
  SmallVector<KernelOperand> operands = copyOperands(getSource(), getDestination());
  operands.front().shape = matrixShape(getContext(), 0, 1, repeats.rows, repeats.columns);
  if (isBatched())
    for (KernelOperand &operand : operands)
      operand.shape = AffineMap::get(
          3, 0, {getAffineDimExpr(2, getContext()), operand.shape.getResult(0), operand.shape.getResult(1)},
          getContext());
  addLossOperands(operands, getDimensionNames().size(), getInexact());
  return operands;
}

AbiAttributes ConvertScalesOp::getAbiAttributes() {
  if (!getBlockAttr()) return {};
  return {{"block", textOfBlock(getBlockAttr())}, {"block_to", textOfBlock(getBlockToAttr())}};
}
