#include "compiler/lowering/product/plan/CodeLoads.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mxc {

int codeLoadWarps(const ClusterTilePlan &plan) { return plan.loadsBoxes() ? 1 : 4; }

// Stages have b's tiles of one place along K side by side.
bool copiesStepOfScalesB(const ClusterTilePlan &plan) { return plan.ctas() == 1 && scaleTilesB(plan) == 1; }

int scaleTilesB(const ClusterTilePlan &plan) {
  return plan.parts * int(llvm::divideCeil(plan.columns(), kScaleTileRows));
}

RingShape codeRing(const ClusterTilePlan &plan, const ProductStep &step) {
  const int64_t scaleBytes = step.scaleTiles() * kScaleTileBytes; // of 128 rows
  return {"operands",
          int(plan.tile.getStages()),
          {kCtaRows * kStepBytes, plan.columnsB() * kStepBytes, scaleBytes, scaleTilesB(plan) * scaleBytes}};
}

SmallVector<std::string> codeConditions(const ProductStep &step) { // cuda.h
  if (step.isPadded(step.a) || step.isPadded(step.b))
    return {llvm::formatv("K % {0} == 0", kPaddedColumns).str()};
  if (info(step.a).bits() < 8) return {"K % 2 == 0"};
  return {};
}

// Each CTA of a pair brings half of b's scales to both: a tile of two, or half a tile.
SmallVector<TensorMapRecipe> codeMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                      const ClusterTilePlan &plan, const ProductStep &step) {
  const ProductExtents at(op, signature);
  constexpr uint32_t kTileUnits = kScaleTileBytes / 2;
  bool halves = plan.ctas() == 2, one = scaleTilesB(plan) == 1;
  const uint32_t stepTiles = step.scaleTiles();
  return {
      rowsMap(op.getA(), signature, at, at.k, kCtaRows, step.isPadded(step.a)),
      matrixMap(op.getB(), signature, at.ofB(), at.n, at.k, plan.rowsOfPartB(), plan.boxPartsB(),
                step.isPadded(step.b)),
      scaleMap(op.getScalesA(), signature, at, at.scaleRowsA(), kTileUnits, 1, step.scaleTileK, 0, stepTiles),
      scaleMap(op.getScalesB(), signature, at.ofB(), at.n, halves && one ? kTileUnits / 2 : kTileUnits,
               halves ? 1 : scaleTilesB(plan) / plan.partsB(), step.scaleTileK, plan.boxPartsB(),
               copiesStepOfScalesB(plan) ? stepTiles : 1)};
}

} // namespace mxc
