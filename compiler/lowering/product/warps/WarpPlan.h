// Products by mma.sync with scales (sm_120): what a tile takes, and its roles. Warps 0 to 3 multiply and
// store, 64 rows x half of the columns each; those from 4 on load.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

class WarpPlan : public ClusterTilePlan {
public:
  WarpPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target);

  ProductStep step;

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  PipelineShape pipeline() const override;
  int stepK() const override { return step.elements; }
  void emitBefore(mx::ProductOpInterface op, const KernelSignature &signature,
                  EntryFunction &function) const override;
  void emitRoles(const TileEntry &e) const override;
};

using WarpEntry = MachineEntry<WarpPlan>;

void emitMultiplyOnWarps(const WarpEntry &e); // MultiplyOnWarps.cpp

} // namespace mxc
