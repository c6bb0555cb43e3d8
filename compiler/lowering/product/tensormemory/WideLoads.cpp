// The load roles of products with mma_k = 96: a warp for the operands' spans and one for the scales, which
// are ahead of the products as far as their rings allow.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/CodeLoads.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/tensormemory/WideStep.h"

using namespace mlir;

namespace mxc {

static constexpr int kScaleStages = 4; // whose columns leave room for accumulators; a step of NVFP4
static constexpr int kTileUnits = int(kScaleTileBytes) / 2;
static constexpr int64_t kScaleBytes = mx::WideMmaOp::kScaleTiles * kScaleTileBytes; // of 128 rows, a stage

RingShape wideOperandRing(const ClusterTilePlan &plan) {
  return {"operands", int(plan.tile.getStages()), {kCtaRows * kStepBytes, plan.columnsB() * kStepBytes}};
}

RingShape wideScaleRing(const ClusterTilePlan &plan) {
  const int tilesB = scaleTilesB(plan), columns = mx::WideMmaOp::kScaleTiles * 4 * (1 + tilesB);
  RingShape ring = {"scales", kScaleStages, {kScaleBytes, tilesB * kScaleBytes}, columns};
  ring.alignment = kScaleTileBytes;
  return ring;
}

// Two tiles of b's rows are brought by a CTA of a pair each, to both; one by each for itself.
static bool sharesScalesB(const ClusterTilePlan &plan) { return plan.ctas() == 2 && scaleTilesB(plan) == 2; }

SmallVector<TensorMapRecipe> wideMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                      const ClusterTilePlan &plan, const ProductStep &step) {
  const ProductExtents at(op, signature);
  constexpr int kAlong = mx::WideMmaOp::kScaleTiles;
  return {
      rowsMap(op.getA(), signature, at, at.k, kCtaRows),
      matrixMap(op.getB(), signature, at.ofB(), at.n, at.k, plan.columnsB()),
      scaleMap(op.getScalesA(), signature, at, at.scaleRowsA(), kTileUnits, 1, step.scaleTileK, 0, kAlong),
      scaleMap(op.getScalesB(), signature, at.ofB(), at.n, kTileUnits,
               sharesScalesB(plan) ? 1 : scaleTilesB(plan), step.scaleTileK, 0, kAlong)};
}

namespace {
// Copies of one role, of a tile.
struct WideCopies {
  const TensorMemoryEntry &e;
  const ValueBuilder &v;
  const TileRecord &tile;

  Value map(Value operand) const { return e.function.pointer(e.nameOf(operand)); }
  SmallVector<Value> ofA(SmallVector<Value> coordinates) const {
    if (e.isBatched()) coordinates.push_back(tile.batch);
    return coordinates;
  }
  SmallVector<Value> ofB(SmallVector<Value> coordinates) const {
    if (e.hasSeveralB()) coordinates.push_back(tile.batchOfB(e));
    return coordinates;
  }
  void copy(Value ring, Value stage, int part, Value operand, ArrayRef<Value> coordinates, int64_t bytes,
            Value offset = {}, bool multicast = false) const {
    mx::CopyBoxOp::create(v.b, v.loc, map(operand), coordinates, ring, stage, offset,
                          v.b.getI32IntegerAttr(part), v.b.getI64IntegerAttr(bytes),
                          multicast ? v.b.getUnitAttr() : UnitAttr());
  }
  /// For the tile's pieces along K, `ofStep` a step.
  void fill(Value ring, int ofStep, function_ref<void(Value piece, Value stage)> copies) const {
    Value first = v.mul(tile.beginStep(v, kWideStepK), ofStep),
          end = v.mul(tile.endStep(v, kWideStepK), ofStep);
    steps::forRange(v, first, end,
                    [&](Value piece) { steps::fill(v, ring, [&](Value stage) { copies(piece, stage); }); });
  }
};
} // namespace

void emitWideLoads(const TensorMemoryEntry &e) {
  const TensorMemoryPlan &plan = e.plan;
  mx::ProductOpInterface op = e.op;
  emitRole(e, e.tiles, "load", plan.firstLoadWarp(), 1, /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             WideCopies copies{e, v, tile};
             Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
             const ClusterTilePlan::FirstOfB first = plan.firstOfB(v, tile.column, rank);
             copies.fill(e.operands, mx::WideMmaOp::kStages, [&](Value span, Value stage) {
               Value column = v.mul(span, plan.step.elements);
               copies.copy(e.operands, stage, kPartA, op.getA(),
                           copies.ofA(rowsCoordinates(v, column, tile.row, tile.rows, e.hasGroups())),
                           plan.operands.parts[kPartA]);
               copies.copy(e.operands, stage, kPartB, op.getB(), copies.ofB({column, first.row}),
                           plan.operands.parts[kPartB]);
             });
           });
  emitRole(e, e.tiles, "load scales", plan.firstLoadWarp() + 1, 1, /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             WideCopies copies{e, v, tile};
             const bool shares = sharesScalesB(plan);
             Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type()), zero = v.i32(0);
             Value rowA = v.divu(tile.scaleRow, kScaleTileRows), rowB = v.divu(tile.column, kScaleTileRows);
             if (shares) rowB = v.add(rowB, rank);
             copies.fill(e.scales, wideScaleStages(plan.step), [&](Value piece, Value stage) {
               Value along = v.mul(piece, mx::WideMmaOp::kScaleTiles);
               copies.copy(e.scales, stage, 0, op.getScalesA(), copies.ofA({zero, along, rowA}), kScaleBytes);
               copies.copy(e.scales, stage, 1, op.getScalesB(), copies.ofB({zero, along, rowB}),
                           shares ? kScaleBytes : plan.scales.parts[1],
                           shares ? v.mul(rank, kScaleBytes) : Value(), shares);
             });
           });
}

} // namespace mxc
