// Products of blocks of 1x128 and 128x128 with f32 scales, on warpgroups at FP8's full rate (wgmma of codes):
// the tensor core sums 128 products, which are then multiplied by their scales and added in f32. Warps 0 to 7
// multiply, promote and store, the rest load.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Whether a product of that operand is one of this machine's.
bool isBlockwise(BlockFormat format);

class BlockwisePlan : public ClusterTilePlan {
public:
  BlockwisePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile);

  bool hasScaleRowsB; // b has a scale for each of its rows, not for 128 of them

  int accumulatorRegisters() const {
    return ctaColumns() / 2 * (halves() + 1);
  } // of a thread: sums and a product
  int registersAtLaunch() const { return 65536 / (32 * (storeWarps + 4)) / 8 * 8; }
  int firstLoadWarp() const { return storeWarps; }
  int loadWarps() const { return loadsBoxes() ? 1 : 4; }

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;
  EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const override;
  void emit(mx::ProductOpInterface op, const KernelSignature &signature,
            EntryFunction &function) const override;
};

using BlockwiseEntry = ClusterTileEntry<BlockwisePlan>;

// A function a role, each in the file of its name.
void emitLoadBlocks(const BlockwiseEntry &e);
void emitLoadBlocksByElements(const BlockwiseEntry &e);
void emitMultiplyAndPromote(const BlockwiseEntry &e);

} // namespace mxc
