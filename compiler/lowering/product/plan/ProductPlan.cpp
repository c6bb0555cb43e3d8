#include "compiler/lowering/product/plan/ProductPlan.h"

namespace mxc {

ProductExtents::ProductExtents(mx::MatmulOp op, const KernelSignature &signature)
    : m(signature.extent("M").size()), n(signature.extent("N").size()), k(signature.extent("K").size()),
      batches(op.isBatched() ? signature.extent("B").size() : ShapeExpression(1)), isBatched(op.isBatched()) {
}

ShapeExpression ProductExtents::tiles(int tileM, int tileN) const {
  return ceilDiv(m, tileM) * ceilDiv(n, tileN) * batches;
}

ProductStep productStep(mx::MatmulOp op) {
  const BlockFormatInfo &format = info(op.getFormatA());
  const int bits = info(format.element).bits();
  const auto kind = bits != 4                            ? mx::BlockMmaKind::Mxf8f6f4
                    : format.scale == ScaleFormat::UE4M3 ? mx::BlockMmaKind::Mxf4nvf4
                                                         : mx::BlockMmaKind::Mxf4;
  return {kind, bits, 8 * kStepBytes / bits, format.blockColumns * int(kScaleTileBlocks)};
}

int bytesOfResult(mx::MatmulOp op) {
  return int(mx::storageBytes(mlir::getElementTypeOrSelf(op.getOuts().front().getType()), 1));
}

} // namespace mxc
