#include "compiler/lowering/product/tensormemory/WideStep.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/CodeBoxes.h"

using namespace mlir;

namespace mxc {

static constexpr int kScaleStages = 4; // whose columns leave room for accumulators; a step of NVFP4

OperandRing wideOperandRing(mx::ProductOpInterface op, const TensorMemoryPlan &plan) {
  const int span = plan.step.elements;
  return {"operands",
          int(plan.tile.getStages()),
          {{.argument = op.getA(), .rows = kCtaRows, .step = span},
           {.isB = true,
            .argument = op.getB(),
            .rows = plan.columnsB(),
            .step = span,
            .owner = plan.ctas() == 2 ? BoxOwner::Half : BoxOwner::Each}}};
}

OperandRing wideScaleRing(mx::ProductOpInterface op, const TensorMemoryPlan &plan) {
  constexpr int kTiles = mx::WideMmaOp::kScaleTiles, kTileRows = int(kScaleTileRows);
  const int tilesB = scaleTilesB(plan);
  // Two tiles of b's rows are brought by a CTA of a pair each, to both; one by each for itself.
  const bool isShared = plan.ctas() == 2 && tilesB == 2;
  OperandRing ring(
      "scales", kScaleStages,
      {{.argument = op.getScalesA(), .content = BoxContent::ScaleTiles, .rows = kTileRows, .step = kTiles},
       {.isB = true,
        .argument = op.getScalesB(),
        .content = BoxContent::ScaleTiles,
        .rows = isShared ? kTileRows : tilesB * kTileRows,
        .step = kTiles,
        .owner = isShared ? BoxOwner::HalfToBoth : BoxOwner::Each}});
  ring.columns = kTiles * 4 * (1 + tilesB);
  ring.alignment = kScaleTileBytes;
  return ring;
}

namespace {
// The products of a step. What a product needs first is waited for in front of it, what it needs last is
// given back after it: uses of stages that overlap, so each stands in the one before.
class WideStep {
public:
  WideStep(const TensorMemoryEntry &e, Value place, Value accumulate, Value columnB)
      : e_(e), place_(place), accumulate_(accumulate), columnB_(columnB),
        perScales_(Op::kInstructions / wideScaleStages(e.plan.step)) {}

  void emit(const ValueBuilder &v) const { from(v, 0, {}); }

private:
  using Op = mx::WideMmaOp;
  // Stages that instructions have now.
  struct Stages {
    Value span, scales;
  };

  static int spanOf(int byte) { return byte / int(kStepBytes); }
  static int firstSpan(int instruction) { return spanOf(instruction * Op::kBytes); }
  static int lastSpan(int instruction) { return spanOf((instruction + 1) * Op::kBytes - 1); }

  // Instructions from `first` on: `now` is what the one before it had.
  void from(const ValueBuilder &v, int first, Stages now) const {
    if (first == Op::kInstructions) return;
    if (first % perScales_ == 0)
      return steps::use(v, e_.scales, [&](Value stage) {
        mx::CopyScalesOp::create(v.b, v.loc, e_.scales, stage, ArrayRef<int32_t>{0, 1}, Op::kScaleTiles,
                                 isPair());
        withSpan(v, first, {now.span, stage});
      });
    withSpan(v, first, now);
  }

  // The first instruction of a span, or the one that crosses into it, waits for it.
  void withSpan(const ValueBuilder &v, int first, Stages now) const {
    const bool begins = first == 0, crosses = firstSpan(first) != lastSpan(first);
    if (!begins && !crosses) return products(v, first, now, now.span);
    steps::use(v, e_.operands(),
               [&](Value stage) { products(v, first, {begins ? stage : now.span, now.scales}, stage); });
  }

  // As many instructions as nothing is waited for or given back between.
  void products(const ValueBuilder &v, int first, Stages now, Value next) const {
    auto endsSpan = [](int i) { return firstSpan(i) != firstSpan(i + 1); }; // always after a crossing
    int end = first + 1;
    while (end < Op::kInstructions && end % perScales_ && !endsSpan(end - 1) &&
           firstSpan(end) == lastSpan(end))
      ++end;
    Value accumulate = first == 0 ? accumulate_ : v.i1(true);
    Op::create(v.b, v.loc, e_.operands(), now.span, next, e_.scales, now.scales, e_.accumulators, place_,
               accumulate, columnB_, first, end - first, e_.plan.step.kind, e_.plan.tile.getM(),
               e_.plan.tile.getN(), getElementTypeOrSelf(e_.op.getScalesA().getType()), isPair());
    if (endsSpan(end - 1)) release(v, e_.operands(), now.span);
    if (end % perScales_ == 0) release(v, e_.scales, now.scales);
    from(v, end, {next, now.scales});
  }

  void release(const ValueBuilder &v, Value ring, Value stage) const {
    mx::ReleaseOp::create(v.b, v.loc, ring, stage, UnitAttr());
  }
  bool isPair() const { return e_.plan.ctas() == 2; }

  const TensorMemoryEntry &e_;
  Value place_, accumulate_, columnB_;
  const int perScales_; // instructions of a stage of scales
};
} // namespace

void emitWideMultiply(const TensorMemoryEntry &e) {
  emitRole(e, e.tiles, "multiply", 4, 1, /*leader=*/e.plan.ctas() == 2,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             // A tile of 192 columns may begin in the middle of a scale tile: 32 rows a column.
             Value columnB = v.divu(v.remu(tile.column, kScaleTileRows), 32);
             steps::fill(v, e.accumulators, [&](Value place) {
               Value first = tile.beginStep(v, kWideStepK);
               steps::forRange(v, first, tile.endStep(v, kWideStepK), [&](Value step) {
                 Value accumulate = v.cmp(ValueBuilder::Predicate::ne, step, first);
                 WideStep(e, place, accumulate, columnB).emit(v);
               });
             });
           });
}

} // namespace mxc
