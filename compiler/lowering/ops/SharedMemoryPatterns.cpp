#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

namespace {
struct LowerSharedMemory : OpRewritePattern<mx::SharedMemoryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::SharedMemoryOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, nvvm::dynamicShared({rewriter, op.getLoc()}, op, op.getAlignment()));
    return success();
  }
};
} // namespace

void populateSharedMemoryPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSharedMemory>(patterns.getContext());
}

} // namespace mxc
