// A function with roles to one whose warps branch: steps first, from the inside out.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

SmallVector<Value> inlineBody(Operation *op, Region &body, ValueRange arguments) {
  Block &block = body.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  Operation *end = block.getTerminator();
  SmallVector<Value> results(end->getOperands());
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  return results;
}

template <class Op>
static void lowerAll(Operation *function, Pipeline &pipeline, void (*lower)(Op, Pipeline &)) {
  SmallVector<Op> found; // inner ones first
  function->walk([&](Op op) { found.push_back(op); });
  for (Op op : found)
    lower(op, pipeline);
}

static void lowerRole(mx::RoleOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value index = v.sub(pipeline.warp(), v.i32(op.getFirst()));
  Value mine = v.cmp(ValueBuilder::Predicate::ult, index, v.i32(op.getWarps()));
  if (op.getLeader()) mine = v.bitAnd(mine, v.equal(v.bitAnd(pipeline.rank(), 1), v.i32(0)));
  ifThen(v, mine, [&] {
    Operation *place = v.i32(0).getDefiningOp(); // what the body stands in front of
    inlineBody(place, op.getBody(), {});
    place->erase();
  });
  op.erase();
}

static void lowerShared(mx::SharedOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op.replaceAllUsesWith(pipeline.shared(v, pipeline.offsetOf(op)));
  op.erase();
}

static void lowerStageAddress(mx::StageAddressOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op.replaceAllUsesWith(pipeline.part(v, op.getRing(), op.getPart(), op.getStage()));
  op.erase();
}

static void lowerCtaRank(mx::CtaRankOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op.replaceAllUsesWith(pipeline.isTwo()       ? v.bitAnd(pipeline.rank(), 1)
                        : pipeline.isCluster() ? pipeline.rank()
                                               : v.i32(0));
  op.erase();
}

static void lowerRoleThread(mx::RoleThreadOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value warp = v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst()));
  op.replaceAllUsesWith(v.add(v.mul(warp, 32), pipeline.lane()));
  op.erase();
}

// Barrier 0 is the CTA's; roles begin at whole warpgroups where they have several warps that meet.
static void lowerRoleBarrier(mx::RoleBarrierOp op, Pipeline &) {
  OpBuilder builder(op);
  auto role = op->getParentOfType<mx::RoleOp>();
  nvvm::syncWarps({builder, op.getLoc()}, 1 + int(role.getFirst()) / 4, int(role.getWarps()));
  op.erase();
}

void lowerPipeline(Operation *function) {
  Pipeline pipeline(function);
  mx::PipelineOp start;
  function->walk([&](mx::PipelineOp op) { start = op; });
  OpBuilder builder(start);
  pipeline.begin(builder, start.getLoc());
  Operation *last = nullptr;
  function->walk([&](mx::RoleOp op) { last = op; });
  builder.setInsertionPointAfter(last);
  pipeline.end(builder, last->getLoc());
  pipeline.setRegisters(function);

  convertAccumulators(function);
  lowerAll<mx::SharedOp>(function, pipeline, lowerShared);
  lowerAll<mx::StageAddressOp>(function, pipeline, lowerStageAddress);
  lowerAll<mx::CtaRankOp>(function, pipeline, lowerCtaRank);
  lowerAll<mx::RoleThreadOp>(function, pipeline, lowerRoleThread);
  lowerAll<mx::CopyBoxOp>(function, pipeline, lowerCopyBox);
  lowerAll<mx::StoreBoxOp>(function, pipeline, lowerStoreBox);
  lowerAll<mx::DrainStoresOp>(function, pipeline, lowerDrainStores);
  lowerAll<mx::CopyScalesOp>(function, pipeline, lowerCopyScales);
  lowerAll<mx::BlockMmaOp>(function, pipeline, lowerBlockMma);
  lowerAll<mx::ReadAccumulatorOp>(function, pipeline, lowerReadAccumulator);
  lowerAll<mx::WarpgroupMmaOp>(function, pipeline, lowerWarpgroupMma);
  lowerAll<mx::LoadFragmentsOp>(function, pipeline, lowerLoadFragments);
  lowerAll<mx::FragmentMmaOp>(function, pipeline, lowerFragmentMma);
  lowerAll<mx::RoleBarrierOp>(function, pipeline, lowerRoleBarrier);
  lowerAll<mx::ClusterBarrierOp>(function, pipeline, lowerClusterBarrier);
  lowerAll<mx::ClusterLoadOp>(function, pipeline, lowerClusterLoad);
  lowerAll<mx::FinishOp>(function, pipeline, lowerFinish);
  lowerAll<mx::ZeroAccumulatorOp>(function, pipeline, lowerZeroAccumulator);
  lowerAll<mx::AccumulatorColumnsOp>(function, pipeline, lowerAccumulatorColumns);
  lowerAll<mx::TicketOp>(function, pipeline, lowerTicket);
  lowerAll<mx::PublishOp>(function, pipeline, lowerPublish);
  lowerAll<mx::AwaitOp>(function, pipeline, lowerAwait);
  lowerAll<mx::LeaveOp>(function, pipeline, lowerLeave);
  lowerAll<mx::LastOfOp>(function, pipeline, lowerLastOf);
  lowerAll<mx::ReleaseOp>(function, pipeline, lowerRelease);
  lowerAll<mx::UseOp>(function, pipeline, lowerUse);
  lowerAll<mx::FillOp>(function, pipeline, lowerFill);
  lowerAll<mx::TakeOverOp>(function, pipeline, lowerTakeOver);
  lowerAll<mx::TilesOp>(function, pipeline, lowerTiles);
  lowerAll<mx::RoleOp>(function, pipeline, lowerRole);
  SmallVector<mx::RingOp> rings;
  function->walk([&](mx::RingOp op) { rings.push_back(op); });
  for (mx::RingOp ring : rings)
    ring.erase();
  start.erase();
}

} // namespace mxc
