// The multiply role on tcgen05: one warp, in a pair the leader's. Per stage scales to tensor memory, then the
// products.
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/MatmulRoles.h"

using namespace mlir;

namespace mxc {

void emitMultiply(const MatmulEntry &e) {
  const MatmulPlan &plan = e.plan;
  bool pair = plan.ctas() == 2;
  auto elementOf = [](Value operand) {
    return TypeAttr::get(cast<MemRefType>(operand.getType()).getElementType());
  };
  emitRole(e, "multiply", 4, 1, /*leader=*/pair, [&](const ValueBuilder &v, const MatmulTile &tile) {
    auto number = [&](int64_t value) { return v.b.getI32IntegerAttr(value); };
    UnitAttr inPair = pair ? v.b.getUnitAttr() : UnitAttr();
    // A tile of 64 or 192 columns may begin in the middle of a scale tile: 32 rows a column.
    Value columnB = v.divu(v.remu(tile.column, kScaleTileRows), 32);
    steps::fill(v, e.accumulators, [&](Value place) {
      steps::forRange(v, tile.beginStep, tile.endStep, [&](Value step) {
        steps::use(v, e.operands, [&](Value stage) {
          mx::CopyScalesOp::create(v.b, v.loc, e.operands, stage,
                                   v.b.getDenseI32ArrayAttr({kPartScalesA, kPartScalesB}), inPair);
          Value accumulate = v.cmp(ValueBuilder::Predicate::ne, step, tile.beginStep);
          mx::BlockMmaOp::create(v.b, v.loc, e.operands, stage, e.accumulators, place, accumulate, columnB,
                                 number(plan.tile.getM()), number(plan.tile.getN()), elementOf(e.op.getA()),
                                 elementOf(e.op.getB()), number(0), number(4), inPair);
        });
      });
    });
  });
}

} // namespace mxc
