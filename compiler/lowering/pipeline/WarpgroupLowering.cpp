// The tensor core of sm_90, operands in shared memory.
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "dialect/formats/TensorDescriptors.h"

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

// A warpgroup's 64 rows of a, and b.
static std::pair<Value, Value> operandsOf(const ValueBuilder &v, Operation *op, Value ring, Value stage,
                                          int half, Pipeline &pipeline) {
  constexpr int kRowsUnits = 64 * 128 / 16; // what a warpgroup has of a, in units of 16 bytes
  Value warpgroup = v.shru(v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst())), 2);
  Value a = pipeline.descriptor(v, ring, 0, stage, kWarpgroupRows.bits()),
        b = pipeline.descriptor(v, ring, 1, stage, kWarpgroupRows.bits());
  a = v.add(a, v.toI64(v.mul(warpgroup, kRowsUnits)));
  return {v.add(a, 2 * half * kRowsUnits), b};
}

static void lowerFullRateProduct(mx::FullRateProductOp op, Pipeline &pipeline) {
  constexpr int kRowUnits = 128 / 16;
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  auto name = [](Type element) { return StringRef(info(*mx::elementFormatOf(element)).name); };
  auto [a, b] = operandsOf(v, op, op.getRing(), op.getStage(), op.getHalf(), pipeline);
  Type type = op->getResult(0).getType(); // registers by now
  const int count = op.getBlocks(), columns = 2 * nvvm::registersOf(type) / count;
  const int64_t unitsA = pipeline.place(op.getRing()).shape.regions[0] / 16 / count;
  const nvvm::FullRateBlocks blocks = {name(op.getElementA()), name(op.getElementB()), count, int(unitsA),
                                       columns * kRowUnits};
  op->replaceAllUsesWith(
      ValueRange{nvvm::fullRateProduct(v, type, blocks, a, b, uint32_t(kWarpgroupRows.bits() >> 32),
                                       op.getAfter() ? op->getOperand(2) : Value())});
  op.erase();
}

static void lowerAccumulatorBlock(mx::AccumulatorBlockOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Type type = op->getResult(0).getType(); // registers by now
  const int count = nvvm::registersOf(type), first = int(op.getBlock()) * count;
  SmallVector<Value> elements;
  for (int i = 0; i < count; ++i)
    elements.push_back(nvvm::accumulatorElement(v, op->getOperand(0), first + i));
  op->replaceAllUsesWith(ValueRange{nvvm::accumulatorOf(v, type, elements)});
  op.erase();
}

static void lowerPromote(mx::PromoteOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value accumulator = op->getOperand(0), product = op->getOperand(1);
  SmallVector<Value> sums;
  const int64_t count = cast<VectorType>(op.getScales().getType()).getNumElements();
  for (int i = 0; i < count; ++i)
    sums.push_back(nvvm::multiplyAdd(v, nvvm::accumulatorElement(v, product, i),
                                     nvvm::element(v, op.getScales(), i),
                                     nvvm::accumulatorElement(v, accumulator, i)));
  // A product after this one takes its registers: they have been read.
  op->replaceAllUsesWith(
      ValueRange{nvvm::pinAccumulator(v, nvvm::accumulatorOf(v, accumulator.getType(), sums))});
  op.erase();
}

static void lowerWarpgroupMma(mx::WarpgroupMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  auto [a, b] = operandsOf(v, op, op.getRing(), op.getStage(), /*half=*/0, pipeline);
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
  lowerings.add(lowerFullRateProduct);
  lowerings.add(lowerAccumulatorBlock);
  lowerings.add(lowerPromote);
}

} // namespace mxc
