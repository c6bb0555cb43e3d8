// The load role where tensor maps can read the operands: one warp, four copies a stage.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/CodeLoads.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void emitLoadByTensorMaps(const CodeLoads &e) {
  const ClusterTilePlan &plan = e.plan;
  const ProductStep &shape = e.step;
  auto map = [&](Value argument) { return e.function.pointer(e.nameOf(argument)); };
  Value mapA = map(e.op.getA()), mapB = map(e.op.getB()), mapScalesA = map(e.op.getScalesA()),
        mapScalesB = map(e.op.getScalesB());
  emitRole(e, e.tiles, "load", e.firstWarp, codeLoadWarps(plan), /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
             const ClusterTilePlan::FirstOfB first = plan.firstOfB(v, tile.column, rank);
             Value scaleRowA = v.divu(tile.scaleRow, kScaleTileRows),
                   scaleRowB = v.divu(tile.column, kScaleTileRows);
             auto at = [&](ArrayRef<Value> coordinates) {
               SmallVector<Value> all(coordinates);
               if (e.isBatched()) all.push_back(tile.batch);
               return all;
             };
             auto atB = [&](ArrayRef<Value> coordinates) {
               SmallVector<Value> all(coordinates);
               if (first.part) all.push_back(first.part);
               if (e.hasSeveralB()) all.push_back(tile.batchOfB(e));
               return all;
             };
             steps::forRange(
                 v, tile.beginStep(v, shape.elements), tile.endStep(v, shape.elements), [&](Value step) {
                   steps::fill(v, e.operands, [&](Value stage) {
                     auto copy = [&](OperandPart part, Value from, ArrayRef<Value> coordinates, Value offset,
                                     int64_t bytes, bool multicast) {
                       mx::CopyBoxOp::create(v.b, v.loc, from, coordinates, e.operands, stage, offset,
                                             v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(bytes),
                                             multicast ? v.b.getUnitAttr() : UnitAttr());
                     };
                     Value column = tile.beginOfStep(v, step, shape.elements, 1), zero = v.i32(0);
                     copy(kPartA, mapA, at(rowsCoordinates(v, column, tile.row, tile.rows, e.hasGroups())),
                          Value(), shape.copiedBytes(shape.a, kCtaRows), false);
                     copy(kPartB, mapB, atB({column, first.row}), Value(),
                          shape.copiedBytes(shape.b, plan.columnsB()), false);
                     const int tiles = shape.scaleTiles(); // along K
                     const int64_t bytesA = plan.operands.parts[kPartScalesA] / tiles,
                                   bytes = plan.operands.parts[kPartScalesB] / tiles;
                     Value firstAlong = tile.beginOfStep(v, step, tiles, shape.scaleTileK);
                     copy(kPartScalesA, mapScalesA, at({zero, firstAlong, scaleRowA}), Value(),
                          tiles * bytesA, false);
                     if (copiesStepOfScalesB(plan)) {
                       copy(kPartScalesB, mapScalesB, atB({zero, firstAlong, scaleRowB}), Value(),
                            tiles * bytes, false);
                       return;
                     }
                     for (int i = 0; i < tiles; ++i) {
                       Value along = v.add(firstAlong, i), before = v.i32(i * bytes);
                       if (plan.ctas() == 1) {
                         copy(kPartScalesB, mapScalesB, atB({zero, along, scaleRowB}), i ? before : Value(),
                              bytes, false);
                         continue;
                       }
                       // Each CTA of the pair brings half of b's scales to both: a tile of two, or half a
                       // tile.
                       Value offset = v.mul(rank, bytes / 2);
                       if (i) offset = v.add(offset, before);
                       if (scaleTilesB(plan) == 2)
                         copy(kPartScalesB, mapScalesB,
                              atB({zero, along, plan.parts == 1 ? v.add(scaleRowB, rank) : scaleRowB}),
                              offset, bytes / 2, true);
                       else
                         copy(kPartScalesB, mapScalesB, atB({v.mul(rank, bytes / 2 / 2), along, scaleRowB}),
                              offset, bytes / 2, true);
                     }
                   });
                 });
           });
}

} // namespace mxc
