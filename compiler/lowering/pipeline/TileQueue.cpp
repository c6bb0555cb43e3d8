// mx.take_over and the mx.tiles that follow it: tiles as cluster launch control hands them out.
//
//   schedule role: wait empty -> announce 16 bytes, in a pair in both CTAs -> try_cancel -> wait full ->
//                  read the answer; again, until it took nothing over: a stage after the other, written out
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

// Asks for a tile into each stage from `stage` on, as long as answers took one over; i1: all of them did.
static Value askForTiles(const ValueBuilder &v, const Ring &ring, int stage, int stages, Value phase,
                         bool isPair) {
  const RingPosition at = {v.i32(stage), phase};
  ring.waitEmpty(v, at);
  Value full = ring.announce(v, at, nvvm::kAnswerBytes);
  if (isPair) nvvm::announceInCta(v, full, v.i32(1), nvvm::kAnswerBytes); // of the pair
  nvvm::tryCancel(v, ring.stageAddress(v, at), full);
  Value tookOver = nvvm::isCanceled(v, answerIn(v, ring, at));
  if (stage + 1 == stages) return tookOver;
  auto next = scf::IfOp::create(
      v.b, v.loc, tookOver,
      [&](OpBuilder &, Location) { // builds with v.b
        scf::YieldOp::create(v.b, v.loc, askForTiles(v, ring, stage + 1, stages, phase, isPair));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(v.b, v.loc, v.i1(false)); });
  return next.getResult(0);
}

// By one lane, whose reading of an answer so comes before its asking for the next one into that stage. One
// turn of the loop is a round of the ring, so addresses are constants and the parity changes once a round.
void lowerTakeOver(mx::TakeOverOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const Ring ring = pipeline.ring(op.getQueue());
  const int stages = pipeline.place(op.getQueue()).layout.stages;
  electOne(v, [&] {
    scf::WhileOp::create(
        v.b, v.loc, TypeRange{v.b.getI32Type()}, ValueRange{v.i32(0)},
        [&](OpBuilder &, Location, ValueRange phase) { // builds with v.b
          Value tookOver = askForTiles(v, ring, 0, stages, phase[0], pipeline.isPair());
          scf::ConditionOp::create(v.b, v.loc, tookOver, phase);
        },
        [&](OpBuilder &, Location, ValueRange phase) {
          scf::YieldOp::create(v.b, v.loc, v.bitXor(phase[0], 1));
        });
  });
  op.erase();
}

Value takeAnswer(const ValueBuilder &v, mx::TilesOp op, RingPosition at, Pipeline &pipeline) {
  Value answer = answerIn(v, pipeline.ring(op.getQueue()), at);
  giveBack(v, op.getQueue(), at.stage, Engine::Threads, pipeline);
  return answer;
}

// Which cluster an answer took over is asked behind the condition: of other answers it has no meaning.
void walkQueuedTiles(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline,
                     function_ref<void(Value tile)> body) {
  const Ring ring = pipeline.ring(op.getQueue());
  const RingPosition first = ring.first(v);
  Type i32 = v.b.getI32Type(), i128 = v.b.getIntegerType(128);
  scf::WhileOp::create(
      v.b, v.loc, TypeRange{i128, i32, i32},
      ValueRange{nvvm::ctaId(v, nvvm::Dim::X), first.stage, first.phase},
      [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
        const RingPosition at = {now[1], now[2]};
        body(pipeline.isTwo() ? v.shru(now[0], 1) : now[0]);
        Value answer = takeAnswer(v, op, at, pipeline);
        const RingPosition next = ring.next(v, at);
        scf::ConditionOp::create(v.b, v.loc, nvvm::isCanceled(v, answer),
                                 ValueRange{answer, next.stage, next.phase});
      },
      [&](OpBuilder &, Location, ValueRange next) {
        Value cta = nvvm::firstCanceledCta(v, next[0]);
        scf::YieldOp::create(v.b, v.loc, ValueRange{cta, next[1], next[2]});
      });
}

} // namespace mxc
