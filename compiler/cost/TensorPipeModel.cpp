#include "compiler/cost/TensorPipeModel.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace mxc {

// Counted in machine code: an element of a thread takes 1.3 instructions on its way out; a warp a scheduler.
static constexpr double kStoreInstructions = 1.35;
// Estimates: what a box waits for (tensor memory, shared memory, the copy engine); a commit until its waiter
// goes on; the first copies' way, barriers and tensor memory at the beginning.
static constexpr int kStoreLatency = 500, kHandOver = 150, kBegin = 1500;
static constexpr int kSliceLatency = 1500; // of parts through L2 and of the counter that says who is last

TileCost costOf(const MatmulPlan &plan, const TensorRates &rates) {
  int n = plan.tile.getN(), instructions = kStepK / kMmaK;
  TileCost cost;
  // One instruction: columns at the pipe's rate, or as fast as its operands are read; a pair's CTAs read half
  // of b each.
  int operandBytes = (kCtaRows + plan.columnsB()) * kMmaK;
  cost.multiply =
      instructions * std::max(n / rates.columnsPerCycle, operandBytes / rates.operandBytesPerCycle);
  for (int64_t bytes : plan.operands.parts)
    cost.stepBytes += bytes;
  cost.bytesInFlight = plan.operands.stages * cost.stepBytes;
  cost.copy = llvm::divideCeil(cost.stepBytes, rates.copyBytesPerCycle);
  cost.store = int(kStoreInstructions * n) + kStoreLatency;
  if (int slices = plan.tile.getSlices(); slices > 1) { // every one writes its part, the last one reads all
    cost.store += kSliceLatency;
    cost.storeRow = llvm::divideCeil(4 * n * (1 + slices), rates.copyBytesPerCycle);
  }
  if (plan.accumulators.overlap)
    cost.bubble =
        int(kStoreInstructions * llvm::alignTo(plan.accumulators.overlap, plan.boxColumns())) + kHandOver;
  return cost;
}

ProductTime timeOf(const MatmulPlan &plan, const TensorRates &rates, const ProductShape &shape) {
  TileCost cost = costOf(plan, rates);
  int64_t rows = llvm::divideCeil(shape.m, plan.tile.getM()),
          columns = llvm::divideCeil(shape.n, plan.tile.getN());
  int64_t slices = plan.tile.getSlices(), tiles = rows * columns * shape.batches * slices;
  int64_t steps = llvm::divideCeil(llvm::divideCeil(shape.k, kStepK), slices);
  int64_t clusters = rates.multiprocessors / plan.ctas();
  ProductTime time = {};
  time.waves = llvm::divideCeil(tiles, clusters);
  int64_t store = cost.store + std::min<int64_t>(shape.m, kCtaRows) * cost.storeRow;
  int64_t tileCycles = std::max(steps * cost.step() + cost.bubble, store);
  time.pipeMicros = 1e6 * double(time.waves * tileCycles + store + kBegin) / rates.cyclesPerSecond;

  // a is read once; so is b where it stays in L2, else once a supergroup. Few multiprocessors do not saturate
  // memory.
  double scaled = 1 + 1.0 / 32, a = double(shape.m) * double(shape.k) * scaled,
         b = double(shape.n) * double(shape.k) * scaled;
  double passes = b < rates.l2Bytes / 2 ? 1 : double(llvm::divideCeil(rows, plan.tile.getSupergroup()));
  double c = double(shape.m) * double(shape.n) * plan.elementBytes;
  double active = double(std::min(tiles, clusters) * plan.ctas());
  double rate =
      std::min(rates.memoryBytesPerSecond, active * rates.copyBytesPerCycle * rates.cyclesPerSecond);
  time.memoryMicros = 1e6 * double(shape.batches) * (a + b * passes + c) / rate;
  return time;
}

std::string cyclesText(const MatmulPlan &plan, const TensorRates &rates, bool isBatched) {
  TileCost cost = costOf(plan, rates);
  unsigned slices = plan.tile.getSlices();
  std::string tiles = llvm::formatv("ceildiv(M, {0}) * ceildiv(N, {1})", plan.tile.getM(), plan.tile.getN());
  if (isBatched) tiles += " * B";
  if (slices > 1) tiles += llvm::formatv(" * {0}", slices);
  std::string clusters = plan.ctas() == 1 ? "SMs" : "max(SMs / 2, 1)";
  std::string cycles = llvm::formatv("ceildiv(K, {0}) * {1}", kStepK * slices, cost.step());
  if (cost.bubble) cycles += llvm::formatv(" + {0}", cost.bubble);
  std::string store = std::to_string(cost.store);
  if (cost.storeRow) store = llvm::formatv("({0} + min(M, {1}) * {2})", cost.store, kCtaRows, cost.storeRow);
  return llvm::formatv("ceildiv({0}, {1}) * max({2}, {3}) + {3}", tiles, clusters, cycles, store);
}

} // namespace mxc
