#include "compiler/lowering/product/plan/MatmulPlan.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mxc {

static constexpr int kTilesAhead =
    4; // answers: the load role is up to two accumulators and a ring before the store role

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

static void planTensorMemory(MatmulPlan &plan, const Target &target) {
  const mx::MatmulTileAttr &tile = plan.tile;
  plan.loadWarps = plan.loadsBoxes() ? 1 : 4;
  int scaleTiles = plan.scaleTilesB();
  plan.operands = {
      "operands",
      int(tile.getStages()),
      {kCtaRows * kStepK, plan.columnsB() * kStepK, kScaleTileBytes, scaleTiles * kScaleTileBytes},
      kScaleTileColumns * (1 + scaleTiles)};
  if (plan.takesOver()) plan.queue = {"tiles", kTilesAhead, {nvvm::kAnswerBytes}};
  plan.accumulators = accumulatorsBeside(plan.operands, tile.getN(), target.tensorColumns);
  int columns = plan.operands.allColumns() + plan.accumulators.allColumns();
  plan.tensorColumns = std::max<int>(32, llvm::PowerOf2Ceil(columns));
}

// A stage is 64 elements of K in bf16, of all rows of b that the tile has: in a cluster each CTA brings its
// half.
static void planWarpgroups(MatmulPlan &plan) {
  constexpr int kRowBytes = 2 * kStepKBf16;
  plan.operands = {
      "operands", int(plan.tile.getStages()), {kCtaRows * kRowBytes, plan.tile.getN() * kRowBytes}};
}

MatmulPlan planMatmul(mx::MatmulTileAttr tile, int elementBytes, const Target &target) {
  MatmulPlan plan;
  plan.tile = tile;
  plan.elementBytes = elementBytes;
  plan.onWarpgroups = target.hasWarpgroupMma;
  if (plan.onWarpgroups)
    planWarpgroups(plan);
  else
    planTensorMemory(plan, target);
  plan.stagingBytes = plan.storeWarps() * plan.buffers() * plan.storeRows() * kBoxRowBytes;
  if (plan.stagingBytes) plan.shared.add("staging", plan.stagingBytes, 1024);
  RingLayout ignored;
  placeRing(plan.shared, plan.operands, ignored);
  if (!plan.onWarpgroups) placeRing(plan.shared, plan.accumulators, ignored);
  if (plan.takesOver()) placeRing(plan.shared, plan.queue, ignored);
  if (plan.tensorColumns) placeTensorAddress(plan.shared);
  return plan;
}
std::string refusal(const MatmulPlan &plan, const Target &target) {
  if (plan.onWarpgroups && plan.tile.getN() == 192)
    return llvm::formatv("has n = 192, {0} takes 64, 128 and 256", target.name).str();
  if (plan.onWarpgroups && plan.takesOver())
    return llvm::formatv("has scheduler = clc, {0} takes static", target.name).str();
  if (plan.onWarpgroups && plan.tile.getSlices() > 1)
    return llvm::formatv("has slices = {0}, {1} takes 1", plan.tile.getSlices(), target.name).str();
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
