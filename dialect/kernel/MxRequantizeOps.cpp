#include "dialect/formats/Requantize.h"
#include "dialect/kernel/MxQuantizeClauses.h"
#include "dialect/kernel/MxScaleClauses.h"

using namespace mlir;
using namespace mxc::mx;

ParseResult mxc::mx::parseRequantizeClauses(OpAsmParser &parser, ArrayAttr &tiles) {
  return parseClauses(parser, {valueClause(parser, "tiles", [&] { return parser.parseAttribute(tiles); })},
                      {{"inexact", "directly after 'outs'"}, {"error", "after 'outs' and 'inexact'"}});
}

void mxc::mx::printRequantizeClauses(OpAsmPrinter &p, RequantizeOp, ArrayAttr tiles) {
  if (tiles) p << " tiles = " << tiles;
}

mxc::BlockFormat RequantizeOp::getFormat() {
  return *blockFormatOf(getData().getType(), getScales().getType());
}
mxc::BlockFormat RequantizeOp::getDestinationFormat() {
  return *blockFormatOf(getDestination().getType(), getDestinationScales().getType());
}

// Those that there are, "from to to", for messages.
static std::string knownChanges() {
  std::string text;
  for (const mxc::BlockFormatInfo &from : mxc::blockFormats())
    for (const mxc::BlockFormatInfo &to : mxc::blockFormats())
      if (mxc::requantizes(from.format, to.format))
        text += (text.empty() ? "" : ", ") + std::string(from.name) + " to " + std::string(to.name);
  return text;
}

LogicalResult RequantizeOp::verify() {
  MemRefType data = getData().getType(), scales = getScales().getType(), result = getDestination().getType(),
             resultScales = getDestinationScales().getType();
  if (failed(verifyBlockFormat(*this, "RQ3", data, scales, {})) ||
      failed(verifyBlockFormat(*this, "RQ3", result, resultScales, {})))
    return failure();
  if (!requantizes(getFormat(), getDestinationFormat()))
    return emitOpError("is there for ") << knownChanges() << ", found " << StringRef(info(getFormat()).name)
                                        << " to " << StringRef(info(getDestinationFormat()).name) << " [RQ3]";
  FailureOr<MemRefType> shape = joinShapes(*this, "RQ1", data, "the result", result);
  if (failed(shape) || failed(verifyScalesShape(*this, "RQ2", *shape, info(getFormat()), scales)) ||
      failed(verifyScalesShape(*this, "RQ2", *shape, info(getDestinationFormat()), resultScales)) ||
      failed(verifyLoss(*this, "RQ4", getInexact(), getError())) ||
      failed(verifyTensorScale(*this, "RQ6", info(getDestinationFormat()), getTensorScale())))
    return failure();
  return verifyTiles(*this, "RQ5");
}

ArrayRef<StringRef> RequantizeOp::getDimensionNames() {
  static const StringRef names[] = {"M", "K"};
  return names;
}

ArrayRef<StringRef> RequantizeOp::getTileKinds() {
  static const StringRef kinds[] = {QuantizeTileAttr::name};
  return kinds;
}

SmallVector<KernelOperand> RequantizeOp::getKernelOperands() {
  AffineMap matrix = matrixShape(getContext());
  auto blocks = [&](mxc::BlockFormat format) {
    return matrixShape(getContext(), 0, 1, info(format).blockRows, info(format).blockColumns);
  };
  SmallVector<KernelOperand> operands = {{.value = getData(), .shape = matrix, .role = OperandRole::Codes},
                                         {.value = getScales(),
                                          .shape = blocks(getFormat()),
                                          .role = OperandRole::Scales,
                                          .partner = getData()}};
  if (getTensorScale()) operands.push_back(tensorScaleOperand(getTensorScale(), getDestination()));
  operands.push_back(
      {.value = getDestination(), .shape = matrix, .role = OperandRole::Codes, .isOutput = true});
  operands.push_back({.value = getDestinationScales(),
                      .shape = blocks(getDestinationFormat()),
                      .role = OperandRole::Scales,
                      .partner = getDestination(),
                      .isOutput = true});
  addLossOperands(operands, 2, getInexact(), getError());
  return operands;
}

AbiAttributes RequantizeOp::getAbiAttributes() {
  AbiAttributes attributes = {{"format", std::string(info(getFormat()).name)},
                              {"result", std::string(info(getDestinationFormat()).name)}};
  addTensorSense(attributes, getSense());
  return attributes;
}
