// The load roles where tensor maps can read the operands: one warp for both, or one for each where b is
// constant and need not wait for earlier grids. In a cluster of two CTAs each brings half of the rows that
// they share, and of their scales, to both.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

using namespace mlir;

namespace mxc {

namespace {
class BlockLoads {
public:
  explicit BlockLoads(const BlockwiseEntry &e) : e_(e), plan_(e.plan) {
    auto map = [&](Value argument) { return e.function.map(e.nameOf(argument), 0); };
    mapB_ = map(e.op.getB());
    if (!plan_.gathersRows) mapA_ = map(e.op.getA()), mapScalesA_ = map(e.op.getScalesA());
    if (plan_.hasScaleRowsB) mapScalesB_ = map(e.op.getScalesB());
  }

  void emit(StringRef name, int warp, bool bringsA, bool bringsB, bool early) const {
    emitRole(
        e_, e_.tiles, name, warp, plan_.loadWarps(), /*leader=*/false,
        [&](const ValueBuilder &v, const TileRecord &tile) {
          Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
          auto ofCta = [&](Value first, int rows) { return v.add(first, v.mul(rank, rows)); };
          Value rowA = plan_.sharesA() ? ofCta(tile.row, plan_.rowsA()) : tile.row,
                scaleRowA = plan_.sharesScalesA() ? ofCta(tile.scaleRow, plan_.rowsA()) : tile.scaleRow,
                rowB = sharesB() ? ofCta(tile.column, plan_.columnsB()) : tile.column;
          const int stepK = kStepK * plan_.blocks();
          std::optional<LaneRows> named;
          if (bringsA && plan_.gathersRows) named.emplace(e_, v, rowA, tile.rows, int(plan_.rowsA()));
          steps::forRange(v, tile.beginStep(v, stepK), tile.endStep(v, stepK), [&](Value step) {
            steps::fill(v, e_.operands, [&](Value stage) {
              const Place at{v, tile, rank, step, stage};
              Value column = v.mul(step, stepK);
              if (named) byIndex(at, *named);
              if (bringsA && !named) codes(at, kPartA, mapA_, column, rowA, plan_.rowsA(), plan_.sharesA());
              if (bringsB) codes(at, kPartB, mapB_, column, rowB, plan_.columnsB(), sharesB());
              if (bringsA && !named)
                scales(at, kPartScalesA, mapScalesA_, scaleRowA, plan_.rowsOfScalesA(),
                       plan_.sharesScalesA());
              if (bringsB && mapScalesB_)
                scales(at, kPartScalesB, mapScalesB_, rowB, plan_.columnsB(), sharesB());
            });
          });
        },
        [](const ValueBuilder &) {}, early);
  }

private:
  struct Place {
    const ValueBuilder &v;
    const TileRecord &tile;
    Value rank, step, stage;
  };

  bool sharesB() const { return plan_.ctas() > 1 && !plan_.sharesA(); }
  int64_t rowsOf(OperandPart part) const { // in a stage's block
    return part == kPartA || part == kPartScalesA ? plan_.ctaRows() : plan_.ctaColumns();
  }

  // Rows from `row` on, a box a block of 128 elements of K; `toBoth`: this CTA's of those that both read.
  void codes(const Place &at, OperandPart part, Value map, Value column, Value row, int64_t rows,
             bool toBoth) const {
    const ValueBuilder &v = at.v;
    for (int block = 0; block < plan_.blocks(); ++block) {
      const int64_t behind = block * rowsOf(part) * kStepBytes;
      Value offset = toBoth ? v.mul(at.rank, rows * kStepBytes) : Value();
      if (behind) offset = toBoth ? v.add(offset, behind) : v.i32(behind);
      Value first = block ? v.add(column, block * kStepK) : column;
      const bool isCut = part == kPartA && e_.hasGroups(); // at the group's end
      copy(at, part, map, rowsCoordinates(v, first, row, at.tile.rows, isCut), offset, rows * kStepBytes,
           toBoth);
    }
  }

  void byIndex(const Place &at, const LaneRows &rows) const {
    const ValueBuilder &v = at.v;
    for (int block = 0; block < plan_.blocks(); ++block) {
      Value step = v.add(v.mul(at.step, plan_.blocks()), block);
      const int64_t before = block * rowsOf(kPartA);
      rows.copyCodes(v, v.mul(step, kStepK), e_.operands, at.stage, kPartA, before * kStepBytes);
      rows.copyScales(v, step, e_.operands, at.stage, kPartScalesA, before * int64_t(sizeof(float)));
    }
  }

  void scales(const Place &at, OperandPart part, Value map, Value row, int64_t rows, bool toBoth) const {
    const ValueBuilder &v = at.v;
    const int64_t bytes = rows * int64_t(sizeof(float)) * plan_.blocks();
    Value block = plan_.blocks() == 1 ? at.step : v.mul(at.step, plan_.blocks());
    copy(at, part, map, {row, block}, toBoth ? v.mul(at.rank, bytes) : Value(), bytes, toBoth);
  }

  void copy(const Place &at, OperandPart part, Value map, SmallVector<Value> coordinates, Value offset,
            int64_t bytes, bool toBoth) const {
    const ValueBuilder &v = at.v;
    const bool isOfB = part == kPartB || part == kPartScalesB;
    if (isOfB ? e_.hasSeveralB() : e_.isBatched())
      coordinates.push_back(isOfB ? at.tile.batchOfB(e_) : at.tile.batch);
    mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, e_.operands, at.stage, offset,
                          v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(bytes),
                          toBoth ? v.b.getUnitAttr() : UnitAttr());
  }

  const BlockwiseEntry &e_;
  const BlockwisePlan &plan_;
  Value mapA_, mapB_, mapScalesA_, mapScalesB_; // of b's scales: null where they do not lie in the stage
};
} // namespace

void emitLoadBlocks(const BlockwiseEntry &e) {
  const BlockLoads loads(e);
  const int warp = e.plan.firstLoadWarp();
  if (!e.op.getConstantB() && !e.gathers())
    return loads.emit("load", warp, /*bringsA=*/true, /*bringsB=*/true, /*early=*/false);
  loads.emit("load a", warp, /*bringsA=*/true, /*bringsB=*/false, /*early=*/false);
  loads.emit("load b", warp + 1, /*bringsA=*/false, /*bringsB=*/true, /*early=*/e.op.getConstantB());
}

} // namespace mxc
