#include "compiler/cost/TensorPipeModel.h"

namespace mxc {

// Counted in machine code: an element of a thread takes 1.3 instructions on its way out; a warp a scheduler.
static constexpr double kStoreInstructions = 1.35;
// Estimates: what a box waits for (tensor memory, shared memory, the copy engine); a commit until its waiter
// goes on; the first copies' way, barriers and tensor memory at the beginning.
static constexpr int kStoreLatency = 500, kHandOver = 150, kBegin = 1500;
static constexpr int kSliceLatency = 1500; // of parts through L2 and of the counter that says who is last

static int64_t ceilDivided(int64_t a, int64_t b) { return (a + b - 1) / b; }

TileCost costOf(const PipeTile &tile, const TensorRates &rates) {
  TileCost cost;
  // One instruction: columns at the pipe's rate, or as fast as its operands are read; a pair's CTAs read half
  // of b each.
  int operandBytes = (tile.rows + tile.columnsB) * tile.instructionBytes;
  cost.multiply =
      tile.instructions * std::max(tile.n / rates.columnsPerCycle, operandBytes / rates.operandBytesPerCycle);
  cost.bytesInFlight = tile.bytesInFlight;
  cost.copy = int(ceilDivided(tile.stepBytes, rates.copyBytesPerCycle));
  cost.store = int(kStoreInstructions * tile.n) + kStoreLatency;
  if (tile.slices > 1) { // every one writes its part, the last one reads all
    cost.store += kSliceLatency;
    cost.storeRow = int(ceilDivided(4 * tile.n * (1 + tile.slices), rates.copyBytesPerCycle));
  }
  if (tile.overlapColumns) cost.bubble = int(kStoreInstructions * tile.overlapColumns) + kHandOver;
  return cost;
}

// Waves of tiles, or of slices of them: what the busiest cluster works on, one after the other. The last
// one's results leave when no steps hide them any more.
ShapeExpression pipeCycles(const PipeTile &tile, const TensorRates &rates, bool isBatched) {
  TileCost cost = costOf(tile, rates);
  ShapeExpression tiles = ceilDiv("M", tile.m) * ceilDiv("N", tile.n / tile.parts);
  if (isBatched) tiles = tiles * "B";
  ShapeExpression clusters = tile.ctas == 1 ? "SMs" : max(ShapeExpression("SMs") / 2, 1);
  const int k = tile.stepK * tile.slices;
  ShapeExpression steps = tile.copies == 1 ? ceilDiv("K", k) * cost.step()
                                           : max(ceilDiv("K", k) * cost.multiply,
                                                 ceilDiv("K", k / tile.copies) * (cost.copy / tile.copies));
  steps = steps + cost.bubble;
  ShapeExpression store = cost.store;
  if (cost.storeRow) store = store + min("M", tile.rows) * cost.storeRow;
  return ceilDiv(tiles * tile.slices, clusters) * max(steps, store) + store;
}

ProductTime timeOf(const PipeTile &tile, const TensorRates &rates, const ProductShape &shape) {
  ProductTime time = {};
  std::string error;
  const std::optional<int64_t> cycles = pipeCycles(tile, rates, /*isBatched=*/true)
                                            .evaluate({{"M", shape.m},
                                                       {"N", shape.n},
                                                       {"K", shape.k},
                                                       {"B", shape.batches},
                                                       {"SMs", rates.multiprocessors}},
                                                      error);
  // Sizes whose product no number holds take for ever.
  time.pipeMicros = cycles ? 1e6 * double(*cycles + kBegin) / rates.cyclesPerSecond : 1e30;

  // a is read once; so is b where it stays in L2, else once a supergroup. Few multiprocessors do not saturate
  // memory.
  const int64_t rows = ceilDivided(shape.m, tile.m), columns = ceilDivided(shape.n, tile.n / tile.parts);
  auto bytes = [&](int64_t rows, int bits) { // with a scale of a byte for 32 elements
    return double(rows) * double(shape.k) * (bits / 8.0 + 1.0 / 32);
  };
  double a = bytes(shape.m, tile.bitsA), b = bytes(shape.n * tile.parts, tile.bitsB);
  double passes = b < rates.l2Bytes / 2 ? 1 : double(ceilDivided(rows, tile.supergroup));
  double c = double(shape.m) * double(shape.n) * tile.elementBytes;
  double clusters = rates.multiprocessors / tile.ctas;
  double active =
      std::min(double(rows) * double(columns) * double(shape.batches) * tile.slices, clusters) * tile.ctas;
  double rate =
      std::min(rates.memoryBytesPerSecond, active * rates.copyBytesPerCycle * rates.cyclesPerSecond);
  time.memoryMicros = 1e6 * double(shape.batches) * (a + b * passes + c) / rate;
  return time;
}

} // namespace mxc
