// The tensor core of sm_90, operands in shared memory.
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

// What carries an accumulator through loops and branches has the registers' type from here on.
void convertAccumulators(Operation *function) {
  OpBuilder builder(function);
  ValueBuilder v{builder, function->getLoc()};
  auto convert = [&](Value value) {
    if (auto type = dyn_cast<mx::AccumulatorType>(value.getType()))
      value.setType(nvvm::warpgroupAccumulator(v, type.getN()));
  };
  function->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
}

// Registers by now, which the operations' accessors do not expect.
static Value accumulatorOf(mx::WarpgroupMmaOp op) { return op->getOperand(2); }
static Value accumulatorOf(mx::AccumulatorColumnsOp op) { return op->getOperand(0); }

static void lowerWarpgroupMma(mx::WarpgroupMmaOp op, Pipeline &pipeline) {
  constexpr int kRowsUnits = 64 * 128 / 16; // what a warpgroup has of a, in units of 16 bytes
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value warpgroup = v.shru(v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst())), 2);
  Value a = pipeline.descriptor(v, op.getRing(), 0, op.getStage(), kWarpgroupOperand),
        b = pipeline.descriptor(v, op.getRing(), 1, op.getStage(), kWarpgroupOperand);
  a = v.add(a, v.toI64(v.mul(warpgroup, kRowsUnits)));
  op->replaceAllUsesWith(ValueRange{nvvm::warpgroupMma(v, accumulatorOf(op), a, b, op.getSteps())});
  op.erase();
}

static void lowerZeroAccumulator(mx::ZeroAccumulatorOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  op->replaceAllUsesWith(ValueRange{nvvm::zeroAccumulator(v, op->getResult(0).getType())});
  op.erase();
}

static void lowerAccumulatorColumns(mx::AccumulatorColumnsOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  auto type = cast<VectorType>(op.getValues().getType());
  SmallVector<Value> elements;
  for (int i = 0; i < type.getNumElements(); ++i)
    elements.push_back(nvvm::accumulatorElement(v, accumulatorOf(op), op.getFirst() / 2 + i));
  op.replaceAllUsesWith(nvvm::fromElements(v, type, elements));
  op.erase();
}

void populateAccumulatorLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerZeroAccumulator);
  lowerings.add(lowerAccumulatorColumns);
}

void populateWarpgroupLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerWarpgroupMma);
}

} // namespace mxc
