#include "compiler/lowering/product/plan/ProductPlan.h"

namespace mxc {

ProductExtents::ProductExtents(mx::MatmulOp op, const KernelSignature &signature)
    : m(signature.extent("M").size()), n(signature.extent("N").size()), k(signature.extent("K").size()),
      batches(op.isBatched() ? signature.extent("B").size() : ShapeExpression(1)), isBatched(op.isBatched()) {
}

ShapeExpression ProductExtents::tiles(int tileM, int tileN) const {
  return ceilDiv(m, tileM) * ceilDiv(n, tileN) * batches;
}

int bytesOfResult(mx::MatmulOp op) {
  return int(mx::storageBytes(mlir::getElementTypeOrSelf(op.getOuts().front().getType()), 1));
}

} // namespace mxc
