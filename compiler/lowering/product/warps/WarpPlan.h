// Products by mma.sync with scales (sm_120): what a tile takes, and its roles. Warps 0 to 3 multiply and
// store, 64 rows x half of the columns each; those from 4 on load.
#pragma once

#include "compiler/lowering/product/plan/CodeLoads.h"

namespace mxc {

class WarpPlan : public ClusterTilePlan {
public:
  WarpPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile);

  ProductStep step;

  int warps() const { return storeWarps + codeLoadWarps(*this); }

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;
  EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const override;
  void emit(mx::ProductOpInterface op, const KernelSignature &signature,
            EntryFunction &function) const override;
};

using WarpEntry = ClusterTileEntry<WarpPlan>;

void emitMultiplyOnWarps(const WarpEntry &e); // MultiplyOnWarps.cpp

} // namespace mxc
