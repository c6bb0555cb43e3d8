// The load role of warpgroups: boxes of the operands' bf16 copies, as soon as those are made.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/BoxLoads.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"

using namespace mlir;

namespace mxc {

// The counts of copies that a box's rows wait for; rows outside wait for the last ones.
static void appendCounts(SmallVector<Value> &awaited, const WarpgroupEntry &e, const ValueBuilder &v,
                         const TileRecord &tile, const OperandBox &box, Value first, Value matrix) {
  const OperandCopies &copies = e.copies;
  const int blockRows = copies.plan().blockRows;
  auto append = [&](int row, Value number) {
    Value block = v.divu(v.add(first, row), blockRows);
    Value inside = v.minu(block, v.sub(copies.blocks(box.isB), v.i32(1)));
    awaited.push_back(
        copies.counts(v, box.isB, e.kGroups ? v.i32(0) : number, inside)); // of K: of the same operands
  };
  for (int number = 0; number < std::max(1, box.matrices); ++number)
    for (int row = 0; row < box.rowsOfMatrix(); row += blockRows)
      append(row, number ? v.add(matrix, number) : matrix ? matrix : tile.batch);
  if (!box.isB && e.hasCompactGroups()) append(box.rows - 1, tile.batch); // whose tiles begin within a block
}

void emitLoadCopies(const WarpgroupEntry &e) {
  const OperandCopies &copies = e.copies;
  const WarpgroupPlan &plan = e.plan;
  const SmallVector<OperandBox> halfBoxes =
      plan.hasHalfTiles() ? plan.halfBoxes() : SmallVector<OperandBox>();
  emitRole(
      e, e.tiles, "load", WarpgroupPlan::loadWarp(), 1, /*leader=*/false,
      [&](const ValueBuilder &v, const TileRecord &tile) {
        BoxLoads whole(e, v, tile, plan.operands.boxes), half(e, v, tile, halfBoxes);
        Value isHalf = plan.hasHalfTiles() ? plan.isHalfTile(v, tile) : Value();
        if (isHalf) {
          Value row = v.select(isHalf, half.first(0), whole.first(0));
          whole.begin(0, row), half.begin(0, row);
        }
        SmallVector<Value> awaited;
        for (auto [region, box] : llvm::enumerate(plan.operands.boxes))
          appendCounts(awaited, e, v, tile, box, whole.first(int(region)), whole.matrix(int(region)));
        Value begin = tile.beginStep(v, kStepKBf16), end = tile.endStep(v, kStepKBf16);
        constexpr int kStepsPerSlab = kStepK / kStepKBf16;
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
        std::optional<BoxLoads> codesByIndex; // whose rows are found once a tile
        if (loadsCodes && e.gathers()) codesByIndex.emplace(e, v, tile, plan.codes.boxes);
        steps::forRange(v, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), [&](Value slab) {
          mx::AwaitOp::create(v.b, v.loc, awaited, v.sub(slab, firstSlab), length,
                              v.b.getI32IntegerAttr(copies.plan().unitsPerBlock()));
          Value first = v.mul(slab, kStepsPerSlab);
          steps::forRange(v, v.maxu(first, begin), v.minu(v.add(first, kStepsPerSlab), end), [&](Value step) {
            auto fill = [&](const BoxLoads &loads) { loads.fill(e.operands(), step); };
            if (!isHalf) return fill(whole);
            steps::either(v, isHalf, [&] { fill(half); }, [&] { fill(whole); });
          });
          // After the copies, which have room for more steps.
          if (loadsCodes)
            (codesByIndex ? *codesByIndex : BoxLoads(e, v, tile, plan.codes.boxes)).fill(e.codes, slab);
        });
      },
      [&](const ValueBuilder &v) { copies.leave(v); });
}

} // namespace mxc
