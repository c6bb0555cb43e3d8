#include "compiler/lowering/product/plan/CodeBoxes.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mxc {

int scaleTilesB(const ClusterTilePlan &plan) {
  return plan.matrices * int(llvm::divideCeil(plan.columns(), kScaleTileRows));
}

OperandRing codeRing(mx::ProductOpInterface op, const ClusterTilePlan &plan, const ProductStep &step) {
  const bool isPair = plan.ctas() == 2;
  const int tiles = step.scaleTiles(), tilesB = scaleTilesB(plan), tileRows = int(kScaleTileRows);
  auto content = [&](ElementFormat element) {
    return step.isPadded(element) ? BoxContent::PaddedRows : BoxContent::Rows;
  };
  const OperandBox a = {.argument = op.getA(),
                        .content = content(step.a),
                        .rows = kCtaRows,
                        .step = step.elements,
                        .isGathered = plan.gathersRows};
  const OperandBox b = {.isB = true,
                        .argument = op.getB(),
                        .content = content(step.b),
                        .rows = plan.columnsB(),
                        .step = step.elements,
                        .matrices = plan.boxMatrices(),
                        .owner = isPair ? BoxOwner::Half : BoxOwner::Each};
  const OperandBox scalesA = {.argument = op.getScalesA(),
                              .content = BoxContent::ScaleTiles,
                              .rows = tileRows,
                              .step = tiles,
                              .isGathered = plan.gathersRows};
  // Each CTA of a pair brings half of them to both: a tile of two, or half a tile. A stage has tiles of one
  // place along K side by side, so that a copy brings a whole step of one tile alone.
  const OperandBox scalesB = {
      .isB = true,
      .argument = op.getScalesB(),
      .content = BoxContent::ScaleTiles,
      .rows = isPair ? tilesB * tileRows / 2 : tilesB * tileRows,
      .step = tiles,
      .copies = !isPair && tilesB == 1 ? 1 : std::max(1, tiles), // none: a format to be refused
      .matrices = plan.boxMatrices(),
      .owner = isPair ? BoxOwner::HalfToBoth : BoxOwner::Each};
  return {"operands", int(plan.tile.getStages()), {a, b, scalesA, scalesB}};
}

SmallVector<OperandBox> slabBoxes(mx::ProductOpInterface op, const SlabShape &shape) {
  const OperandBox codes = {.isB = shape.isB,
                            .argument = shape.isB ? op.getB() : op.getA(),
                            .rows = shape.rows,
                            .step = kStepK,
                            .matrices = shape.matrices,
                            .isGathered = shape.isGathered};
  OperandBox scales = codes;
  scales.argument = shape.isB ? op.getScalesB() : op.getScalesA();
  scales.content = BoxContent::ScaleTiles;
  scales.rows = shape.tilesBelow * int(kScaleTileRows), scales.step = shape.tilesAlong;
  return {codes, scales};
}

SmallVector<std::string> codeConditions(const ProductStep &step) { // cuda.h
  if (step.isPadded(step.a) || step.isPadded(step.b))
    return {llvm::formatv("K % {0} == 0", kPaddedColumns).str()};
  if (info(step.a).bits() < 8) return {"K % 2 == 0"};
  return {};
}

} // namespace mxc
