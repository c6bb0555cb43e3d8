// The load role of machines whose roles walk tiles: boxes by tensor maps, or rows at any address where none
// can read them.
#pragma once

#include "compiler/lowering/product/plan/BoxLoads.h"
#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

struct LoadRole {
  llvm::StringRef name = "load";
  int firstWarp;
  const OperandRing &ring;
  int stepK;                // elements along K, of a step that slices are whole numbers of
  int stages = 1;           // that such a step takes
  mlir::Value steps = {};   // i32: that K has; with tiles of scales alone
  bool endsAtGroup = false; // rows of a past the tile's group are zeros where no tensor map reads them
  Brought brought = Brought::Both;
  bool isEarly = false; // mx.role says
};

/// One warp brings boxes, four bring rows at any address.
int loadWarps(const ClusterTilePlan &plan);
void emitLoad(const TileEntry &e, const LoadRole &role);

void emitLoadByElements(const TileEntry &e, const LoadRole &role); // LoadElements.cpp

} // namespace mxc
