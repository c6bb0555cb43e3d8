#include "tests/unit/compiler/RingKernel.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Ring.h"
#include "tests/unit/compiler/BuiltKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mxc;

namespace {

constexpr int64_t kPartBytes = 32 * 4;

// A loop over the steps whose body has the ring's position.
void walkRing(const ValueBuilder &v, const Ring &ring, int steps,
              llvm::function_ref<void(Value step, RingPosition at)> body) {
  RingPosition first = ring.first(v);
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.i64(0), v.i64(steps), v.i64(1), ValueRange{first.stage, first.phase});
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(loop.getBody());
  RingPosition at{loop.getRegionIterArgs()[0], loop.getRegionIterArgs()[1]};
  body(loop.getInductionVar(), at);
  RingPosition next = ring.next(v, at);
  scf::YieldOp::create(v.b, v.loc, ValueRange{next.stage, next.phase});
}

uint32_t emitKernel(OpBuilder &b, Operation *function, int stages, int steps) {
  ValueBuilder v{b, function->getLoc()};
  Value in = function->getRegion(0).getArgument(0), out = function->getRegion(0).getArgument(1);
  SharedLayout entry, stage;
  int64_t left = stage.add("left", kPartBytes, 16), right = stage.add("right", kPartBytes, 16);
  RingLayout layout{.stages = stages, .emptyArrivals = 32};
  entry.add("something else", 40, 8);
  layout.placeIn(entry, "operands", stage);
  Ring ring(layout, nvvm::dynamicShared(v, function, entry.alignment()));

  Value thread = nvvm::threadIdX(v), isFirst = v.equal(thread, v.i32(0));
  ifThen(v, isFirst, [&] {
    ring.init(v);
    nvvm::fenceMbarrierInit(v);
  });
  nvvm::syncThreads(v);
  ifThen(v, isFirst, [&] {
    walkRing(v, ring, steps, [&](Value step, RingPosition at) {
      Value source = nvvm::offsetBytes(v, in, v.mul(step, 2 * kPartBytes));
      ring.waitEmpty(v, at);
      ring.fill(v, at,
                {{left, kPartBytes,
                  [&](Value destination, Value barrier) {
                    nvvm::copyBytes(v, destination, source, v.i32(kPartBytes), barrier);
                  }},
                 {right, kPartBytes, [&](Value destination, Value barrier) {
                    Value half = nvvm::offsetBytes(v, source, v.i64(kPartBytes));
                    nvvm::copyBytes(v, destination, half, v.i32(kPartBytes), barrier);
                  }}});
    });
  });
  ifThen(v, v.less(v.i32(31), thread), [&] {
    Value mine = v.toI64(v.mul(v.bitAnd(thread, 31), 4));
    walkRing(v, ring, steps, [&](Value step, RingPosition at) {
      ring.waitFull(v, at);
      auto word = [&](int64_t part) {
        return nvvm::load(v, b.getI32Type(), nvvm::offsetBytes(v, ring.stageAddress(v, at, part), mine), 4);
      };
      Value sum = v.add(word(left), word(right));
      ring.release(v, at);
      nvvm::store(v, sum, nvvm::offsetBytes(v, out, v.add(v.mul(step, kPartBytes), mine)), 4);
    });
  });
  return entry.bytes();
}

} // namespace

RingKernel ringKernel(int stages, int steps) {
  RingKernel kernel;
  kernel.ptx = ptxOfKernel(64, [&](OpBuilder &b, Operation *function) {
    kernel.sharedBytes = emitKernel(b, function, stages, steps);
  });
  return kernel;
}
