// mx.bulk_load: one lane starts the copies of all boxes on one mbarrier, every lane waits for its first
// phase.
#include "compiler/lowering/NvvmBuild.h"
#include "compiler/lowering/TileOpLowering.h"
#include "dialect/MxOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

struct LowerBulkLoad : OpRewritePattern<mx::BulkLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::BulkLoadOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    int64_t boxRows = op.getBox()[0], boxColumns = op.getBox()[1], total = 0;
    for (int32_t bytes : op.getElementBytes())
      total += op.getGroups() * boxRows * boxColumns * bytes;
    Value shared = nvvm::dynamicShared(v, op, /*alignment=*/128); // of a bulk tensor copy's destination
    Value barrier = nvvm::offsetBytes(v, shared, v.i64(total));

    auto first =
        scf::IfOp::create(rewriter, op.getLoc(), v.equal(op.getThread(), v.i32(0)), /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(first.thenBlock());
      nvvm::initBarrier(v, barrier, /*arrivals=*/1);
      nvvm::arriveExpectBytes(v, barrier, total); // boxes over an edge complete their full bytes too
      int64_t offset = 0;
      for (auto [map, bytes] : llvm::zip(op.getMaps(), op.getElementBytes()))
        for (unsigned group = 0; group < op.getGroups(); ++group) {
          Value destination = nvvm::offsetBytes(v, shared, v.i64(offset));
          nvvm::copyBox(v, destination, map, barrier, op.getColumn(),
                        v.add(op.getRow(), group * op.getGroupStride()));
          offset += boxRows * boxColumns * bytes;
        }
    }
    nvvm::syncThreads(v); // nobody waits on a barrier that is not initialized
    auto loop = scf::WhileOp::create(rewriter, op.getLoc(), TypeRange(), ValueRange());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.createBlock(&loop.getBefore());
      Value done = nvvm::tryWaitParity(v, barrier, /*parity=*/0);
      Value again = arith::XOrIOp::create(rewriter, op.getLoc(), done, v.i1(true));
      scf::ConditionOp::create(rewriter, op.getLoc(), again, ValueRange());
      rewriter.createBlock(&loop.getAfter());
      scf::YieldOp::create(rewriter, op.getLoc());
    }
    rewriter.replaceOp(op, shared);
    return success();
  }
};

} // namespace

void populateBulkLoadLowering(RewritePatternSet &patterns) {
  patterns.add<LowerBulkLoad>(patterns.getContext());
}

} // namespace mxc
