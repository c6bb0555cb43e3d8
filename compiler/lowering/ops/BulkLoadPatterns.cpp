// mx.shared_memory and mx.bulk_load: a ring of one stage that every thread of the CTA uses once.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/pipeline/Ring.h"
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

struct LowerBulkLoad : OpRewritePattern<mx::BulkLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::BulkLoadOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    Value column = op.getColumn(), firstRow = op.getRow();
    SmallVector<RingCopy> copies;
    for (auto [map, elementBytes, offset] : llvm::zip(op.getMaps(), op.getElementBytes(), op.getOffsets()))
      for (int64_t group = 0; group < op.getGroups(); ++group) {
        int64_t bytes = int64_t(op.getBox()[0]) * op.getBox()[1] * elementBytes;
        int64_t rowsBefore = group * op.getGroupStride();
        copies.push_back({offset + group * bytes, bytes, [=, map = map](Value destination, Value barrier) {
                            nvvm::copyBox(v, destination, map, {column, v.add(firstRow, rowsBefore)},
                                          barrier);
                          }});
      }
    Ring ring({.barriers = int64_t(op.getBarrier())}, op.getShared());
    RingPosition only = ring.first(v);
    ifThen(v, v.equal(op.getThread(), v.i32(0)), [&] {
      ring.init(v);
      nvvm::fenceMbarrierInit(v);
      ring.fill(v, only, copies);
    });
    nvvm::launchDependents(v);
    nvvm::syncThreads(v); // nobody waits on a barrier that is not initialized
    ring.waitFull(v, only);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateBulkLoadPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSharedMemory, LowerBulkLoad>(patterns.getContext());
}

} // namespace mxc
