// Work that warps of all CTAs share: who takes which piece, and which pieces are done.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace mxc {

Value ofLaneZero(const ValueBuilder &v, Pipeline &pipeline, function_ref<Value()> body) {
  Value isFirst = v.equal(pipeline.lane(), v.i32(0));
  return nvvm::uniform(v, steps::whereElseZero(v, isFirst, v.b.getI32Type(), body));
}

static void lowerTicket(mx::TicketOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op.replaceAllUsesWith(ofLaneZero(v, pipeline, [&] { return nvvm::countUp(v, op.getCounter()); }));
  op.erase();
}

// Fence, warp, release: what all lanes wrote is there for copies of whoever acquires the count.
static void lowerPublish(mx::PublishOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  nvvm::fenceProxyAsyncGlobal(v);
  nvvm::syncWarp(v);
  electOne(v, [&] { nvvm::publishCount(v, op.getCount()); });
  op.erase();
}

// i1 in each lane: its index of all arrays is complete, or past the end.
static Value isComplete(const ValueBuilder &v, mx::AwaitOp op, Value index) {
  Value inside = v.minu(index, v.sub(op.getLength(), v.i32(1))), complete = v.i1(true);
  for (Value counts : op.getCounts()) {
    Value at = nvvm::offsetBytes(v, counts, v.toI64(v.mul(inside, 4)));
    complete = v.bitAnd(complete, v.equal(nvvm::acquireCount(v, at), v.i32(op.getComplete())));
  }
  return complete;
}

// A variable holds which of the 32 around the index are known to be complete; they stay so.
static void lowerAwait(mx::AwaitOp op, Pipeline &pipeline) {
  OpBuilder entry =
      OpBuilder::atBlockBegin(&op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
  ValueBuilder atEntry{entry, op.getLoc()};
  Value known = nvvm::variable(atEntry, entry.getI32Type());
  nvvm::store(atEntry, atEntry.i32(0), known, 4);
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value inBlock = v.bitAnd(op.getIndex(), 31), first = v.sub(op.getIndex(), inBlock);
  ifThen(v, v.equal(inBlock, v.i32(0)), [&] { nvvm::store(v, v.i32(0), known, 4); });
  auto loop = scf::WhileOp::create(builder, op.getLoc(), TypeRange(), ValueRange());
  builder.createBlock(&loop.getBefore());
  Value bit = v.bitAnd(v.shru(nvvm::load(v, v.b.getI32Type(), known, 4), inBlock), 1);
  scf::ConditionOp::create(builder, op.getLoc(), v.equal(bit, v.i32(0)), ValueRange());
  builder.createBlock(&loop.getAfter());
  Value complete = isComplete(v, op, v.add(first, pipeline.lane()));
  nvvm::store(v, nvvm::ballot(v, complete), known, 4);
  nvvm::syncWarp(v);              // a lane copies what another one has acquired
  nvvm::fenceProxyAsyncGlobal(v); // for all that is known now: it would hold up the copies at each index
  scf::YieldOp::create(builder, op.getLoc());
  op.erase();
}

// Lane 0 counts after the warp's writes, and the warp reads after lane 0 has counted. Nobody counts after the
// last one.
static void lowerLastOf(mx::LastOfOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  nvvm::syncWarp(v);
  Value before = ofLaneZero(v, pipeline, [&] { return nvvm::countUp(v, op.getCounter(), /*orders=*/true); });
  nvvm::syncWarp(v);
  Value isLast = v.equal(before, v.i32(op.getCount() - 1));
  ifThen(v, v.bitAnd(isLast, v.equal(pipeline.lane(), v.i32(0))),
         [&] { nvvm::store(v, v.i32(0), op.getCounter(), 4); });
  op.replaceAllUsesWith(isLast);
  op.erase();
}

// The warp has done what it does with the counts; whoever is last knows that nobody comes after it.
static void lowerLeave(mx::LeaveOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  nvvm::syncWarp(v);
  Value before = ofLaneZero(v, pipeline, [&] { return nvvm::countUp(v, op.getThrough(), /*orders=*/true); });
  nvvm::syncWarp(v);
  Value warps = v.mul(nvvm::gridSize(v, nvvm::Dim::X), op.getWarps());
  ifThen(v, v.equal(v.add(before, 1), warps), [&] {
    auto loop = scf::ForOp::create(v.b, v.loc, pipeline.lane(), op.getWords(), v.i32(32));
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPoint(loop.getBody()->getTerminator());
    Value at = nvvm::offsetBytes(v, op.getAddress(), v.toI64(v.mul(loop.getInductionVar(), 4)));
    nvvm::store(v, v.i32(0), at, 4);
  });
  op.erase();
}

void populateCounterLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerTicket);
  lowerings.add(lowerPublish);
  lowerings.add(lowerAwait);
  lowerings.add(lowerLeave);
  lowerings.add(lowerLastOf);
}

} // namespace mxc
