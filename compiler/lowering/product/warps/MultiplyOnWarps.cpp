// The role of the warps that multiply: products into registers, from there through the epilogue to c.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/product/warps/WarpPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static Type elementOf(Value operand) { return cast<MemRefType>(operand.getType()).getElementType(); }

// All steps along K of a tile: an accumulator for every 32 rows.
static SmallVector<Value> multiply(const WarpEntry &e, const ValueBuilder &v, const TileRecord &tile) {
  const ProductStep &step = e.plan.step;
  SmallVector<int32_t> selectors;
  for (int instruction = 0; instruction < step.instructions(); ++instruction)
    selectors.push_back(step.selector(instruction));
  // A tile of 64 columns may begin in the middle of a scale tile: 32 rows a column.
  Value columnB = v.divu(v.remu(tile.column, kScaleTileRows), 32);
  Type type = mx::AccumulatorType::get(v.b.getContext(), e.plan.matrices * e.plan.storeColumns());
  Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type);
  const SmallVector<Value> zeros(e.plan.halves(), zero);
  auto loop = scf::ForOp::create(v.b, v.loc, tile.beginStep(v, step.elements), tile.endStep(v, step.elements),
                                 v.i32(1), zeros);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(loop.getBody());
  const ValueRange sums = loop.getRegionIterArgs();
  SmallVector<Value> products = steps::use(v, e.operands(), sums.getTypes(), [&](Value stage) {
    auto onto = [&](ValueRange sums, int first, int count) -> SmallVector<Value> {
      auto product = mx::WarpMmaOp::create(
          v.b, v.loc, sums.getTypes(), e.operands(), stage, sums, columnB, step.kind, elementOf(e.op.getA()),
          elementOf(e.op.getB()), elementOf(e.op.getScalesA()), ArrayRef(selectors).slice(first, count),
          step.scaleTiles() * count / step.instructions(), first, e.plan.matrices);
      return product.getResults();
    };
    const int all = step.instructions();
    Value isWhole = tile.hasSecondHalf(v, loop.getInductionVar(), step.elements);
    if (!isWhole) return onto(sums, 0, all);
    const SmallVector<Value> half = onto(sums, 0, all / 2);
    auto branch = scf::IfOp::create(v.b, v.loc, sums.getTypes(), isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(v.b, v.loc, onto(half, all / 2, all / 2));
    v.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(v.b, v.loc, half);
    return SmallVector<Value>(branch.getResults());
  });
  scf::YieldOp::create(v.b, v.loc, products);
  return SmallVector<Value>(loop.getResults());
}

void emitMultiplyOnWarps(const WarpEntry &e) {
  auto tile = [&](const ValueBuilder &v, const TileRecord &tile) {
    storeAccumulators(e, v, tile, multiply(e, v, tile));
  };
  emitRole(e, e.tiles, "multiply", 0, e.plan.storeWarps, /*leader=*/false, tile,
           [&](const ValueBuilder &v) { drainResults(e, v); });
}

} // namespace mxc
