// Products on warpgroups (wgmma) of bf16 copies of the operands: what a tile takes, and its roles. Warps 0 to
// 7 multiply and store, 8 loads, the rest make the copies.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

namespace mxc {

class WarpgroupPlan : public ClusterTilePlan {
public:
  /// `elementBytes`: of c.
  WarpgroupPlan(mx::MatmulTileAttr tile, int elementBytes);

  int warps() const { return 12; }
  CopyPlan copies() const;

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions() const override;
  EntryPlan entry(mx::MatmulOp op, const KernelSignature &signature) const override;
  void emit(mx::MatmulOp op, const KernelSignature &signature, EntryFunction &function) const override;
};

/// What the roles of an entry point share.
struct WarpgroupEntry : ProductEntry {
  const WarpgroupPlan &plan;
  ProductTiles tiles;
  mlir::Value operands; // ring
  ResultSink results;
  const OperandCopies &copies;
};

// A function a role.
void emitLoadCopies(const WarpgroupEntry &e);           // LoadCopies.cpp
void emitMultiplyOnWarpgroups(const WarpgroupEntry &e); // MultiplyOnWarpgroups.cpp

} // namespace mxc
