// How codes and scales of both operands come to a ring whose stages block-scaled instructions read: rows of
// 128 bytes under the 128B swizzle, and whole tiles of scales.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// What a role that brings them needs to know.
struct CodeLoads : ProductEntry {
  const ClusterTilePlan &plan;
  ProductTiles tiles;
  ProductStep step;
  mlir::Value operands; // the ring, with the parts of codeRing()
  mlir::Value steps;    // i32: along K
  int firstWarp;        // of codeLoadWarps()
};

int codeLoadWarps(const ClusterTilePlan &plan);
/// Tiles of b's scales, of each part's its own: every CTA has all of them.
int scaleTilesB(const ClusterTilePlan &plan);
/// Whether a copy of b's scales brings those of a whole step, as one of a's always does: else of a tile along
/// K.
bool copiesStepOfScalesB(const ClusterTilePlan &plan);
/// The ring of the operands: parts kPartA to kPartScalesB.
RingShape codeRing(const ClusterTilePlan &plan, const ProductStep &step);
/// What tensor maps over a and b ask of the dimensions.
llvm::SmallVector<std::string> codeConditions(const ProductStep &step);
/// Maps over a, b and their scales, for emitLoadByTensorMaps.
llvm::SmallVector<TensorMapRecipe> codeMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                            const ClusterTilePlan &plan, const ProductStep &step);

void emitLoadByTensorMaps(const CodeLoads &e); // LoadBoxes.cpp
void emitLoadByElements(const CodeLoads &e);   // LoadElements.cpp
inline void emitLoads(const CodeLoads &e) {
  e.plan.loadsBoxes() ? emitLoadByTensorMaps(e) : emitLoadByElements(e);
}

} // namespace mxc
