// The store role: four warps take their rows of an accumulator out of tensor memory, box of columns by box,
// give it back as soon as the next product needs the place, and hand the epilogue's results on.
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/ScalarRegion.h"
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

using namespace mlir;

namespace mxc {

// Of two accumulators that overlap the first one's last columns are the second one's first: they are read
// first.
static Value boxNumber(const MatmulPlan &plan, const ValueBuilder &v, Value place, Value turn) {
  if (!plan.accumulators.overlap) return turn;
  return v.select(v.equal(place, v.i32(0)), v.sub(v.i32(plan.boxes() - 1), turn), turn);
}

static int lastTurnBeforeRelease(const MatmulPlan &plan) {
  if (!plan.accumulators.overlap) return plan.boxes() - 1;
  return llvm::divideCeil(plan.accumulators.overlap, plan.boxColumns()) - 1;
}

void emitStore(const MatmulEntry &e) {
  const MatmulPlan &plan = e.plan;
  auto drain = [&](const ValueBuilder &v) {
    if (plan.storesBoxes()) mx::DrainStoresOp::create(v.b, v.loc);
  };
  auto storeTile = [&](const ValueBuilder &v, const MatmulTile &tile) {
    Value row = v.add(tile.row, mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()));
    steps::use(v, e.accumulators, [&](Value place) {
      steps::forRange(v, v.i32(0), v.i32(plan.boxes()), [&](Value turn) {
        Value number = boxNumber(plan, v, place, turn), inTile = v.mul(number, plan.boxColumns());
        auto type = VectorType::get(plan.boxColumns(), v.b.getF32Type());
        Value product = mx::ReadAccumulatorOp::create(v.b, v.loc, type, e.accumulators, place, inTile);
        ifThen(v, v.equal(turn, v.i32(lastTurnBeforeRelease(plan))),
               [&] { mx::ReleaseOp::create(v.b, v.loc, e.accumulators); });
        if (!plan.loadsBoxes()) { // K may be 0: the accumulator was not written
          Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type));
          product = v.select(v.equal(e.steps, v.i32(0)), zero, product);
        }
        Value first = v.bitAnd(row, ~int64_t(31)), column = v.add(tile.column, inTile);
        storeBox(e, v, product, {tile.batch, row, column, first, column, turn});
      });
    });
  };
  emitRole(e, "store", 0, 4, /*leader=*/false, storeTile, drain);
}

} // namespace mxc
