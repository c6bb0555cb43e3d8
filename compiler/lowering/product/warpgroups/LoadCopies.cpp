// The load role of warpgroups: boxes of the operands' bf16 copies, as soon as those are made. In a cluster of
// two CTAs, whose tiles lie below each other, each brings half of b's rows to both; where a alone is copied
// they lie side by side, and it is a's.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"

using namespace mlir;

namespace mxc {

void emitLoadCopies(const WarpgroupEntry &e) {
  const OperandCopies &copies = e.copies;
  const WarpgroupPlan &plan = e.plan;
  const StringRef name = nameOfCopies(copies.plan().operands);
  const bool hasA = copies.plan().has(/*isB=*/false), hasB = copies.plan().has(/*isB=*/true);
  Value mapA = hasA ? e.function.map(name, 0) : Value(),
        mapB = hasB ? e.function.map(name, hasA ? 1 : 0) : Value();
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
        const int blockRows = copies.plan().blockRows;
        const bool sharesA = plan.sharesA();
        const int rowsA = sharesA ? plan.rowsA() : plan.ctaRows(); // that this CTA brings
        Value isHalf = plan.hasHalfTiles() ? plan.isHalfTile(v, tile) : Value();
        Value rowA = tile.row;
        if (sharesA)
          rowA = v.add(rowA, isHalf ? v.select(isHalf, v.mul(rank, rowsA / 2), v.mul(rank, rowsA))
                                    : v.mul(rank, rowsA));
        auto awaitA = [&](int row) {
          awaited.push_back(counts(false, v.divu(v.add(rowA, row), blockRows), tile.batch));
        };
        for (int row = 0; hasA && row < rowsA; row += blockRows)
          awaitA(row);
        if (hasA && e.hasCompactGroups()) awaitA(rowsA - 1); // whose tiles begin within a block
        Value firstMatrix = e.matrixOfB(v, tile.batchOfB(e), ofB.part);
        for (int part = 0; hasB && part < plan.partsB(); ++part)
          for (int row = 0; row < plan.rowsOfPartB(); row += blockRows)
            awaited.push_back(counts(true, v.divu(v.add(ofB.row, row), blockRows),
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
          auto fill = [&](Value step, Value mapA, int shares) { // 1 / shares of a's rows
            steps::fill(v, e.operands, [&](Value stage) {
              auto copy = [&](int part, Value map, Value row, bool toBoth, int shares) {
                // Its half, where both have it.
                const int64_t bytes = plan.operands.parts[part] / shares / (toBoth ? 2 : 1);
                Value offset = toBoth ? v.mul(rank, bytes) : Value();
                SmallVector<Value> coordinates = {v.mul(step, kStepKBf16), row};
                if (Value matrix = map == mapB ? firstMatrix : e.isBatched() ? tile.batch : Value())
                  coordinates.push_back(matrix);
                mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, e.operands, stage, offset,
                                      v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(bytes),
                                      toBoth ? v.b.getUnitAttr() : UnitAttr());
              };
              if (mapA) copy(kPartA, mapA, rowA, sharesA, shares);
              if (mapB) copy(plan.partN(), mapB, ofB.row, plan.ctas() == 2, 1);
            });
          };
          steps::forRange(v, v.maxu(first, begin), v.minu(v.add(first, kStepsPerSlab), end), [&](Value step) {
            if (!isHalf) return fill(step, mapA, 1);
            steps::either(
                v, isHalf, [&] { fill(step, e.function.map(name, 1), 2); }, [&] { fill(step, mapA, 1); });
          });
          // Behind the copies, which have room for more steps.
          if (loadsCodes) fillCodes(e, v, tile, byIndex, slab);
        });
      },
      [&](const ValueBuilder &v) { copies.leave(v); });
}

} // namespace mxc
