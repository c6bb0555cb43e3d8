#include "dialect/kernel/MxKernelOps.h"

using namespace mlir;
using namespace mxc::mx;

LogicalResult DequantizeOp::verify() {
  if (failed(verifyBlockFormat(*this, "D4", getData().getType(), getScales().getType(), getBlockAttr())))
    return failure();
  FailureOr<MemRefType> shape = joinShapes(*this, "D1", getData().getType(), "values", getValues().getType());
  if (failed(shape) ||
      failed(verifyScalesShape(*this, "D2", *shape, info(getFormat()), getScales().getType())))
    return failure();
  if (failed(verifyTensorScale(*this, "D5", info(getFormat()), getTensorScale()))) return failure();
  return verifyTiles(*this, "D3");
}

ArrayRef<StringRef> DequantizeOp::getDimensionNames() {
  static const StringRef names[] = {"M", "K"};
  return names;
}

ArrayRef<StringRef> DequantizeOp::getTileKinds() {
  static const StringRef kinds[] = {QuantizeTileAttr::name};
  return kinds;
}

SmallVector<KernelOperand> DequantizeOp::getKernelOperands() {
  AffineMap matrix = matrixShape(getContext());
  const BlockFormatInfo &format = info(getFormat());
  AffineMap blocks = matrixShape(getContext(), 0, 1, format.blockRows, format.blockColumns);
  SmallVector<KernelOperand> operands = {
      {.value = getData(), .shape = matrix, .role = OperandRole::Codes},
      {.value = getScales(), .shape = blocks, .role = OperandRole::Scales, .partner = getData()}};
  if (getTensorScale()) operands.push_back(tensorScaleOperand(getTensorScale(), getData()));
  operands.push_back({.value = getValues(), .shape = matrix, .isOutput = true});
  return operands;
}

mxc::BlockFormat DequantizeOp::getFormat() {
  return *blockFormatOf(getData().getType(), getScales().getType(), getBlockAttr());
}

AbiAttributes DequantizeOp::getAbiAttributes() {
  AbiAttributes attributes = {{"format", std::string(info(getFormat()).name)}};
  addTensorSense(attributes, getSense());
  return attributes;
}
