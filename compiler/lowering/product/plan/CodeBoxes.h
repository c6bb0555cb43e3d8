// The boxes of block-scaled instructions: codes of both operands and whole tiles of their scales, which
// tensor cores read from the stage.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Tiles of b's scales, of each matrix its own: every CTA has all of them.
int scaleTilesB(const ClusterTilePlan &plan);
/// The ring "operands", whose regions are kRegionA to kRegionScalesB.
OperandRing codeRing(mx::ProductOpInterface op, const ClusterTilePlan &plan, const ProductStep &step);
/// The boxes of one operand whose codes become bf16 on their way to the tensor cores: a slab of kStepK
/// elements of K, and `scaleTiles` tiles of 128 rows' scales, along K or below each other.
struct SlabShape {
  bool isB;
  int rows, matrices = 0;
  int tilesAlong = 1, tilesBelow = 1;
  bool isGathered = false;
};
llvm::SmallVector<OperandBox> slabBoxes(mx::ProductOpInterface op, const SlabShape &shape);
/// What tensor maps over a and b ask of the dimensions.
llvm::SmallVector<std::string> codeConditions(const ProductStep &step);

} // namespace mxc
