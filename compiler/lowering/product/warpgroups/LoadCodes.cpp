// The load role of an operand in flight: boxes of its codes and their scale tiles, a slab of 128 elements of
// K a stage.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"

using namespace mlir;

namespace mxc {

std::optional<LaneRows> codesByIndex(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile) {
  if (!e.gathers()) return std::nullopt;
  return LaneRows(e, v, tile.row, tile.rows, kCtaRows);
}

void fillCodes(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile,
               const std::optional<LaneRows> &byIndex, Value slab) {
  if (byIndex)
    return steps::fill(v, e.codes, [&](Value stage) {
      byIndex->copyCodes(v, v.mul(slab, kStepK), e.codes, stage, 0);
      byIndex->copyScales(v, slab, e.codes, stage, 1);
    });
  const bool isB = e.plan.isBInFlight();
  Value codes = e.function.map(e.nameOf(isB ? e.op.getB() : e.op.getA()), 0),
        scales = e.function.map(e.nameOf(isB ? e.op.getScalesB() : e.op.getScalesA()), 0);
  const bool hasBatch = isB ? e.hasSeveralB() : e.isBatched();
  steps::fill(v, e.codes, [&](Value stage) {
    auto copy = [&](int part, Value map, SmallVector<Value> coordinates) {
      if (hasBatch) coordinates.push_back(isB ? tile.batchOfB(e) : tile.batch);
      mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, e.codes, stage, Value(),
                            v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(e.plan.codes.parts[part]),
                            UnitAttr());
    };
    Value column = v.mul(slab, kStepK * e.plan.bitsA() / 8);
    copy(0, codes,
         isB ? SmallVector<Value>{column, tile.column}
             : rowsCoordinates(v, column, tile.row, tile.rows, e.hasGroups()));
    copy(1, scales,
         {v.i32(0), v.mul(slab, e.plan.scaleTilesOfSlab()),
          v.divu(isB ? tile.column : tile.scaleRow, kScaleTileRows)});
  });
}

void emitLoadCodes(const WarpgroupEntry &e) {
  emitRole(e, e.tiles, "load codes", WarpgroupPlan::codeWarp(), 1, /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             const std::optional<LaneRows> byIndex = codesByIndex(e, v, tile);
             steps::forRange(v, tile.beginStep(v, kStepK), tile.endStep(v, kStepK),
                             [&](Value slab) { fillCodes(e, v, tile, byIndex, slab); });
           });
}

} // namespace mxc
