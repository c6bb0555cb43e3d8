// The multiply role on tcgen05: one warp, in a pair the leader's. Per stage scales to tensor memory, then the
// products.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

using namespace mlir;

namespace mxc {

void emitMultiply(const TensorMemoryEntry &e) {
  const TensorMemoryPlan &plan = e.plan;
  bool pair = plan.ctas() == 2;
  auto elementOf = [](Value operand) { return cast<MemRefType>(operand.getType()).getElementType(); };
  SmallVector<int32_t> selectors; // a byte of the scales' words a block of the step
  for (int instruction = 0; instruction < plan.step.instructions(); ++instruction)
    selectors.push_back(plan.step.selector(instruction));
  emitRole(e, e.tiles, "multiply", 4, 1, /*leader=*/pair, [&](const ValueBuilder &v, const TileRecord &tile) {
    // A tile of 64 or 192 columns may begin in the middle of a scale tile: 32 rows a column.
    Value columnB = v.divu(v.remu(tile.column, kScaleTileRows), 32);
    steps::fill(v, e.accumulators, [&](Value place) {
      Value first = tile.beginStep(v, plan.step.elements);
      steps::forRange(v, first, tile.endStep(v, plan.step.elements), [&](Value step) {
        steps::use(v, e.operands(), [&](Value stage) {
          mx::CopyScalesOp::create(v.b, v.loc, e.operands(), stage,
                                   ArrayRef<int32_t>{kRegionScalesA, kRegionScalesB}, /*along=*/1, pair);
          auto products = [&](int first, int count, Value accumulate) {
            const int share = plan.step.instructions() / count;
            mx::BlockMmaOp::create(
                v.b, v.loc, e.operands(), stage, e.accumulators, place, accumulate, columnB, plan.step.kind,
                plan.tile.getM(), plan.tile.getN(), plan.step.elements / share, elementOf(e.op.getA()),
                elementOf(e.op.getB()), elementOf(e.op.getScalesA()), 0, plan.scaleColumnsA(),
                ArrayRef(selectors).slice(first, count), plan.step.scaleTiles() / share, first, pair);
          };
          Value accumulate = v.cmp(ValueBuilder::Predicate::ne, step, first);
          const int all = plan.step.instructions();
          if (Value isWhole = tile.hasSecondHalf(v, step, plan.step.elements)) {
            products(0, all / 2, accumulate);
            ifThen(v, isWhole, [&] { products(all / 2, all / 2, v.i1(true)); });
          } else {
            products(0, all, accumulate);
          }
        });
      });
    });
  });
}

} // namespace mxc
