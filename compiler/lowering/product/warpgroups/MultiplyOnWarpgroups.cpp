// The role of two warpgroups, 64 rows of the tile each: products into registers, from there through the
// epilogue to c.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

// All slabs along K of a tile, an operand's codes in flight: a half's fragments are made while the products
// of the half before run. `sideN`: rows of the copied operand.
static Value multiplyInFlight(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile,
                              int sideN) {
  Type type = mx::AccumulatorType::get(v.b.getContext(), sideN);
  auto fragments = VectorType::get(16, v.b.getI32Type());
  auto typeOf = [](Value operand) { return TypeAttr::get(getElementTypeOrSelf(operand.getType())); };
  const TypeAttr element = typeOf(e.plan.isBInFlight() ? e.op.getB() : e.op.getA()),
                 scale = e.plan.scaleTilesOfSlab() > 1 ? typeOf(e.op.getScalesA()) : TypeAttr();
  Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type),
        allBlocks = v.ceilDivu(tile.kEnd, e.plan.formatA.blockColumns);
  auto loop =
      scf::ForOp::create(v.b, v.loc, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), v.i32(1), zero);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(loop.getBody());
    Value blocks = v.sub(allBlocks, v.mul(loop.getInductionVar(), e.plan.blocksOfSlab()));
    Value product = steps::use(v, e.codes, type, [&](Value codeStage) {
      Value sum = loop.getRegionIterArgs().front();
      for (int half = 0; half < 2; ++half) {
        Value a = mx::LoadFragmentsOp::create(v.b, v.loc, fragments, e.codes, codeStage,
                                              v.b.getI32IntegerAttr(half), v.i32(0), blocks, element, scale,
                                              UnitAttr());
        // With 8 bits a branch has needed all codes by here. With 4 bits nothing has: an arrival may overtake
        // loads while products are in flight, so that the use gives the stage back itself, after the products
        // that do.
        if (half && e.plan.bitsA() == 8) mx::ReleaseOp::create(v.b, v.loc, e.codes);
        sum = steps::use(v, e.operands(), type, [&](Value stage) -> Value {
          return mx::FragmentMmaOp::create(v.b, v.loc, type, e.operands(), stage,
                                           v.b.getI32IntegerAttr(e.plan.regionN()), a, sum);
        });
      }
      return sum;
    });
    scf::YieldOp::create(v.b, v.loc, product);
  }
  return mx::FinishOp::create(v.b, v.loc, type, e.operands(), loop.getResult(0));
}

// All steps along K of a tile.
static Value multiply(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile) {
  if (e.plan.isInFlight()) return multiplyInFlight(e, v, tile, e.plan.sideN());
  Type type = mx::AccumulatorType::get(v.b.getContext(), e.plan.tile.getN());
  Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type);
  auto loop = scf::ForOp::create(v.b, v.loc, tile.beginStep(v, kStepKBf16), tile.endStep(v, kStepKBf16),
                                 v.i32(1), zero);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(loop.getBody());
    Value product = steps::use(v, e.operands(), type, [&](Value stage) -> Value {
      return mx::WarpgroupMmaOp::create(v.b, v.loc, type, e.operands(), stage,
                                        loop.getRegionIterArgs().front(),
                                        v.b.getI32IntegerAttr(kStepKBf16 / 16));
    });
    scf::YieldOp::create(v.b, v.loc, product);
  }
  return mx::FinishOp::create(v.b, v.loc, type, e.operands(), loop.getResult(0));
}

// b in flight: of a tile's rows of a, which are the N side, all or half.
static void multiplyTransposed(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile) {
  auto rows = [&](int count) {
    storeTransposed({e.plan.rowsOfTransposedBox(), count}, e, v, tile, multiplyInFlight(e, v, tile, count));
  };
  const int all = e.plan.sideN();
  if (!e.plan.hasHalfTiles()) return rows(all);
  steps::either(v, e.plan.isHalfTile(v, tile), [&] { rows(all / 2); }, [&] { rows(all); });
}

void emitMultiplyOnWarpgroups(const WarpgroupEntry &e) {
  const WarpgroupPlan &plan = e.plan;
  auto tile = [&](const ValueBuilder &v, const TileRecord &tile) {
    if (plan.isBInFlight()) return multiplyTransposed(e, v, tile);
    storeAccumulators(e, v, tile, multiply(e, v, tile));
  };
  emitRole(e, e.tiles, "multiply", 0, plan.storeWarps, /*leader=*/false, tile,
           [&](const ValueBuilder &v) { drainResults(e, v); });
}

} // namespace mxc
