#include "dialect/MxOps.h"

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

static const StringRef kDimensionNames[] = {"M", "KB"}; // columns are blocks

ArrayRef<StringRef> PackScalesOp::getDimensionNames() { return kDimensionNames; }
ArrayRef<StringRef> UnpackScalesOp::getDimensionNames() { return kDimensionNames; }
SmallVector<KernelOperand> PackScalesOp::getKernelOperands() {
  return copyOperands(getSource(), getDestination());
}
SmallVector<KernelOperand> UnpackScalesOp::getKernelOperands() {
  return copyOperands(getSource(), getDestination());
}
