// The load role of warpgroups: boxes of the operands' bf16 copies, as soon as those are made. In a cluster of
// two CTAs, whose tiles lie below each other, each brings half of b's rows to both.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"

using namespace mlir;

namespace mxc {

void emitLoadCopies(const WarpgroupEntry &e) {
  const OperandCopies &copies = e.copies;
  const WarpgroupPlan &plan = e.plan;
  const StringRef name = nameOfCopies(copies.plan().operands);
  Value mapA = plan.isInFlight() ? Value() : e.function.map(name, 0),
        mapB = e.function.map(name, plan.isInFlight() ? 0 : 1);
  emitRole(
      e, e.tiles, "load", WarpgroupPlan::loadWarp(), 1, /*leader=*/false,
      [&](const ValueBuilder &v, const TileRecord &tile) {
        Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
        const ClusterTilePlan::FirstOfB ofB = plan.firstOfB(v, tile.column, rank);
        auto counts = [&](bool isB, Value block, Value matrix) { // rows outside wait for the last ones
          Value inside = v.minu(block, v.sub(copies.blocks(isB), v.i32(1)));
          return copies.counts(v, isB, e.kGroups ? v.i32(0) : matrix, inside); // of K: of the same operands
        };
        SmallVector<Value> awaited;
        if (!plan.isInFlight())
          awaited.push_back(counts(false, v.divu(tile.row, copies.plan().blockRows), tile.batch));
        if (!plan.isInFlight() && e.hasCompactGroups()) // whose tiles begin within a block
          awaited.push_back(
              counts(false, v.divu(v.add(tile.row, kCtaRows - 1), copies.plan().blockRows), tile.batch));
        Value firstMatrix = e.matrixOfB(v, tile.batchOfB(e), ofB.part);
        for (int part = 0; part < plan.partsB(); ++part)
          for (int row = 0; row < plan.rowsOfPartB(); row += copies.plan().blockRows)
            awaited.push_back(counts(true, v.divu(v.add(ofB.row, row), copies.plan().blockRows),
                                     part          ? v.add(firstMatrix, part)
                                     : firstMatrix ? firstMatrix
                                                   : tile.batch));
        constexpr int kStepsPerSlab = kStepK / kStepKBf16;
        Value begin = tile.beginStep(v, kStepKBf16), end = tile.endStep(v, kStepKBf16);
        if (plan.isInFlight()) end = v.mul(tile.endStep(v, kStepK), kStepsPerSlab); // whole slabs
        // Indices that are awaited go up from 0.
        const bool isPart = e.kGroups || plan.tile.getSlices() > 1;
        Value firstSlab = isPart ? tile.beginStep(v, kStepK) : v.i32(0), length = copies.slabs();
        if (isPart) {
          length = v.sub(length, firstSlab);
          for (Value &counts : awaited)
            counts = nvvm::offsetBytes(v, counts, v.toI64(v.mul(firstSlab, 4)));
        }
        const bool loadsCodes = plan.isInFlight() && !plan.loadsCodesApart();
        const std::optional<LaneRows> byIndex = loadsCodes ? codesByIndex(e, v, tile) : std::nullopt;
        steps::forRange(v, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), [&](Value slab) {
          mx::AwaitOp::create(v.b, v.loc, awaited, v.sub(slab, firstSlab), length,
                              v.b.getI32IntegerAttr(copies.plan().unitsPerBlock()));
          Value first = v.mul(slab, kStepsPerSlab);
          steps::forRange(v, v.maxu(first, begin), v.minu(v.add(first, kStepsPerSlab), end), [&](Value step) {
            steps::fill(v, e.operands, [&](Value stage) {
              auto copy = [&](int part, Value map, Value row, Value offset, int64_t bytes, bool toBoth) {
                SmallVector<Value> coordinates = {v.mul(step, kStepKBf16), row};
                if (Value matrix = map == mapB ? firstMatrix : e.isBatched() ? tile.batch : Value())
                  coordinates.push_back(matrix);
                mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, e.operands, stage, offset,
                                      v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(bytes),
                                      toBoth ? v.b.getUnitAttr() : UnitAttr());
              };
              int64_t bytesB = plan.operands.parts[plan.partB()] / plan.ctas();
              if (mapA) copy(kPartA, mapA, tile.row, Value(), plan.operands.parts[kPartA], false);
              copy(plan.partB(), mapB, ofB.row, plan.ctas() == 2 ? v.mul(rank, bytesB) : Value(), bytesB,
                   plan.ctas() == 2);
            });
          });
          // Behind b's, which has room for more steps.
          if (loadsCodes) fillCodes(e, v, tile, byIndex, slab);
        });
      },
      [&](const ValueBuilder &v) { copies.leave(v); });
}

} // namespace mxc
