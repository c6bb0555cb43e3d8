#include "compiler/lowering/ops/NarrowingFence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace mxc {

static bool narrows(Operation *op) {
  if (!isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) return false;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return type.isF16() || type.isBF16();
}

void fenceNarrowing(Operation *root) {
  root->walk([](Operation *op) {
    if (!narrows(op)) return;
    OpBuilder builder(op);
    Value wide = op->getOperand(0);
    auto fence =
        LLVM::CallIntrinsicOp::create(builder, op->getLoc(), wide.getType(),
                                      builder.getStringAttr("llvm.arithmetic.fence"), ValueRange{wide});
    op->setOperand(0, fence.getResult(0));
  });
}

} // namespace mxc
