#include "compiler/lowering/matmul/MatmulPlan.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mxc {

static constexpr int kScaleTileColumns = 4; // of tensor memory

int MatmulPlan::buffers() const { return storesBoxes() ? std::gcd(int(tile.getBuffers()), boxes()) : 0; }

// Two accumulators where they fit beside the scales of every stage; else they overlap by what is missing, in
// whole boxes of the narrowest kind, and the boxes that overlap are read first.
static RingShape accumulatorsBeside(const RingShape &operands, int n, int tensorColumns) {
  constexpr int kGranule = 32;
  int room = tensorColumns - operands.allColumns();
  int overlap = std::max(0, 2 * n - room);
  return {"accumulators", 2, {}, n, int(llvm::alignTo(overlap, kGranule))};
}

MatmulPlan planMatmul(mx::MatmulTileAttr tile, int elementBytes, const Target &target) {
  MatmulPlan plan;
  plan.tile = tile;
  plan.elementBytes = elementBytes;
  plan.loadWarps = plan.loadsBoxes() ? 1 : 4;
  int scaleTiles = plan.scaleTilesB();
  plan.operands = {
      "operands",
      int(tile.getStages()),
      {kCtaRows * kStepK, plan.columnsB() * kStepK, kScaleTileBytes, scaleTiles * kScaleTileBytes},
      kScaleTileColumns * (1 + scaleTiles)};
  plan.accumulators = accumulatorsBeside(plan.operands, tile.getN(), target.tensorColumns);
  int columns = plan.operands.allColumns() + plan.accumulators.allColumns();
  plan.tensorColumns = std::max<int>(32, llvm::PowerOf2Ceil(columns));
  plan.stagingBytes = 4 * plan.buffers() * kBoxBytes;
  if (plan.stagingBytes) plan.shared.add("staging", plan.stagingBytes, 1024);
  RingLayout ignored;
  placeRing(plan.shared, plan.operands, ignored);
  placeRing(plan.shared, plan.accumulators, ignored);
  placeTensorAddress(plan.shared);
  return plan;
}

std::string refusal(const MatmulPlan &plan, const Target &target) {
  if (plan.shared.bytes() > target.maxSharedBytes)
    return llvm::formatv("needs {0} bytes of shared memory ({1}), {2} gives a CTA {3}", plan.shared.bytes(),
                         plan.shared.sum(), target.name, target.maxSharedBytes)
        .str();
  if (plan.tensorColumns > target.tensorColumns || plan.accumulators.overlap > plan.accumulators.columns)
    return llvm::formatv(
               "needs {0} columns of tensor memory (scales {1} x {2} + accumulators {3}), {4} has {5}",
               plan.operands.allColumns() + plan.accumulators.allColumns(), plan.operands.stages,
               plan.operands.columns, plan.accumulators.allColumns(), target.name, target.tensorColumns)
        .str();
  return "";
}

} // namespace mxc
