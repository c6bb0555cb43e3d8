// A function with roles to one whose warps branch: steps first, from the inside out.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
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

static void lowerRole(mx::RoleOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value index = v.sub(pipeline.warp(), v.i32(op.getFirst()));
  Value mine = v.cmp(ValueBuilder::Predicate::ult, index, v.i32(op.getWarps()));
  if (op.getLeader()) mine = v.bitAnd(mine, v.equal(v.bitAnd(pipeline.rank(), 1), v.i32(0)));
  ifThen(v, mine, [&] {
    if (pipeline.hasEarlyRoles() && !op.getEarly()) nvvm::waitForPrerequisites(v);
    Operation *place = v.i32(0).getDefiningOp(); // what the body stands in front of
    inlineBody(place, op.getBody(), {});
    place->erase();
    if (op.getEarly()) nvvm::waitForPrerequisites(v); // for what the CTA does after its roles
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

Value threadIn(const ValueBuilder &v, mx::RoleOp role, const Pipeline &pipeline) {
  return v.add(v.mul(v.sub(pipeline.warp(), v.i32(role.getFirst())), 32), pipeline.lane());
}

static void lowerRoleThread(mx::RoleThreadOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op.replaceAllUsesWith(threadIn(v, op->getParentOfType<mx::RoleOp>(), pipeline));
  op.erase();
}

// Barrier 0 is the CTA's; roles begin at whole warpgroups where they have several warps that meet.
static void lowerRoleBarrier(mx::RoleBarrierOp op, Pipeline &) {
  OpBuilder builder(op);
  auto role = op->getParentOfType<mx::RoleOp>();
  nvvm::syncWarps({builder, op.getLoc()}, 1 + int(role.getFirst()) / 4, int(role.getWarps()));
  op.erase();
}

void populateRoleLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerRole);
  lowerings.add(lowerShared);
  lowerings.add(lowerStageAddress);
  lowerings.add(lowerCtaRank);
  lowerings.add(lowerRoleThread);
  lowerings.add(lowerRoleBarrier);
}

} // namespace mxc
