// mx.take_over and the mx.tiles that follow it: tiles as cluster launch control hands them out.
//
//   schedule role: wait empty -> announce 16 bytes, in a pair in both CTAs -> try_cancel -> wait full ->
//                  read the answer; again, until it took nothing over
//   other roles:   own tile -> wait full -> read the answer -> give it back -> its tile; likewise
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

// The answer in a stage (i128). The stage's next one is written behind the fence.
static Value answerIn(const ValueBuilder &v, const Ring &ring, RingPosition at) {
  ring.waitFull(v, at);
  Value answer = nvvm::loadAnswer(v, ring.stageAddress(v, at));
  nvvm::fenceProxyAsync(v);
  return answer;
}

// do { answer = body(cluster, at) } while (it took a cluster over), along the ring. Which cluster is asked
// behind the condition: of other answers it has no meaning.
static void whileTakenOver(const ValueBuilder &v, const Ring &ring, Value firstCta,
                           function_ref<Value(Value cta, RingPosition at)> body) {
  RingPosition first = ring.first(v);
  SmallVector<Value> initial = {firstCta, first.stage, first.phase};
  Type i32 = v.b.getI32Type(), i128 = v.b.getIntegerType(128);
  SmallVector<Type> carried = {i32, i32, i32}, passed = {i128, i32, i32};
  SmallVector<Location> locations(carried.size(), v.loc);
  auto loop = scf::WhileOp::create(v.b, v.loc, passed, initial);
  OpBuilder::InsertionGuard guard(v.b);
  Block *turn = v.b.createBlock(&loop.getBefore(), {}, carried, locations);
  RingPosition at = {turn->getArgument(1), turn->getArgument(2)};
  Value answer = body(turn->getArgument(0), at);
  RingPosition next = ring.next(v, at);
  scf::ConditionOp::create(v.b, v.loc, nvvm::isCanceled(v, answer),
                           ValueRange{answer, next.stage, next.phase});
  Block *again = v.b.createBlock(&loop.getAfter(), {}, passed, locations);
  Value cta = nvvm::firstCanceledCta(v, again->getArgument(0));
  scf::YieldOp::create(v.b, v.loc, ValueRange{cta, again->getArgument(1), again->getArgument(2)});
}

// By one lane, whose reading of an answer so comes before its asking for the next one into that stage.
void lowerTakeOver(mx::TakeOverOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Ring ring = pipeline.ring(op.getQueue());
  electOne(v, [&] {
    whileTakenOver(v, ring, v.i32(0), [&](Value, RingPosition at) {
      ring.waitEmpty(v, at);
      Value full = ring.announce(v, at, nvvm::kAnswerBytes);
      if (pipeline.isPair()) nvvm::announceInCta(v, full, v.i32(1), nvvm::kAnswerBytes); // of the pair
      nvvm::tryCancel(v, ring.stageAddress(v, at), full);
      return answerIn(v, ring, at);
    });
  });
  op.erase();
}

Value takeAnswer(const ValueBuilder &v, mx::TilesOp op, RingPosition at, Pipeline &pipeline) {
  Value answer = answerIn(v, pipeline.ring(op.getQueue()), at);
  giveBack(v, op.getQueue(), at.stage, Engine::Threads, pipeline);
  return answer;
}

void walkQueuedTiles(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline,
                     function_ref<void(Value tile)> body) {
  Ring ring = pipeline.ring(op.getQueue());
  whileTakenOver(v, ring, nvvm::ctaId(v, nvvm::Dim::X), [&](Value cta, RingPosition at) {
    body(pipeline.isTwo() ? v.shru(cta, 1) : cta);
    return takeAnswer(v, op, at, pipeline);
  });
}

} // namespace mxc
