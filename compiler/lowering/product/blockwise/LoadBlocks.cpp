// The load role where tensor maps can read the operands: one warp. In a cluster of two CTAs each brings
// half of the rows that they share, and of their scales, to both.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"

using namespace mlir;

namespace mxc {

void emitLoadBlocks(const BlockwiseEntry &e) {
  const BlockwisePlan &plan = e.plan;
  auto map = [&](Value argument) { return e.function.map(e.nameOf(argument), 0); };
  Value mapA = map(e.op.getA()), mapB = map(e.op.getB()), mapScalesA = map(e.op.getScalesA()),
        mapScalesB = plan.hasScaleRowsB ? map(e.op.getScalesB()) : Value();
  emitRole(e, e.tiles, "load", plan.firstLoadWarp(), plan.loadWarps(), /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
             const bool sharesA = plan.sharesA(), sharesB = plan.ctas() == 2 && !sharesA;
             Value rowA = sharesA ? v.add(tile.row, v.mul(rank, plan.rowsA())) : tile.row,
                   rowB = sharesB ? v.add(tile.column, v.mul(rank, plan.columnsB())) : tile.column;
             steps::forRange(v, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), [&](Value step) {
               steps::fill(v, e.operands, [&](Value stage) {
                 auto copy = [&](OperandPart part, Value from, Value inner, Value outer, bool toBoth) {
                   SmallVector<Value> coordinates = {inner, outer};
                   if (e.isBatched()) coordinates.push_back(tile.batch);
                   const int64_t bytes = plan.operands.parts[part] / (toBoth ? 2 : 1);
                   mx::CopyBoxOp::create(v.b, v.loc, from, coordinates, e.operands, stage,
                                         toBoth ? v.mul(rank, bytes) : Value(), v.b.getI32IntegerAttr(part),
                                         v.b.getI64IntegerAttr(bytes),
                                         toBoth ? v.b.getUnitAttr() : UnitAttr());
                 };
                 Value column = v.mul(step, kStepK);
                 copy(kPartA, mapA, column, rowA, sharesA);
                 copy(kPartB, mapB, column, rowB, sharesB);
                 copy(kPartScalesA, mapScalesA, rowA, step, sharesA);
                 if (mapScalesB) copy(kPartScalesB, mapScalesB, rowB, step, sharesB);
               });
             });
           });
}

} // namespace mxc
