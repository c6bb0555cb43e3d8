// Products of blocks of 1x128 and 128x128 with f32 scales, on warpgroups at FP8's full rate (wgmma of codes):
// the tensor core sums 128 products, which are then multiplied by their scales and added in f32. Warps 0 to 7
// multiply, promote and store, the rest load.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/targets/Multiprocessor.h"

namespace mxc {

class BlockwisePlan : public ClusterTilePlan {
public:
  BlockwisePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target);

  bool hasScaleRowsB; // b has a scale for each of its rows, not for 128 of them
  bool hasGroupsOfK;  // ragged = k
  bool hasGroups;     // of rows or of K

  /// The blocks of 128 elements of K that a stage has: where tiles are small, waiting for a stage and for its
  /// products would take longer than they do. Together they have 64 rows of b at least, so that the rows that
  /// warpgroups multiply beyond a's lie in the stage.
  int blocks() const {
    if (!loadsBoxes()) return 1;
    return std::clamp((ctaRows() <= 32 ? 128 : 64) / ctaColumns(), 1, 8);
  }
  /// Whether tiles are small, and what comes before and after their products counts.
  bool isSmall() const { return ctaRows() <= 64 || ctaColumns() < 64; }
  int accumulatorRegisters() const {
    return ctaColumns() / 2 * (halves() + blocks());
  } // of a thread: sums and products
  /// Whether each CTA of a pair brings half of a's scales to both: lines of whole 128 bytes.
  bool sharesScalesA() const { return sharesA() && blocks() == 1 && rowsA() * 4 % 128 == 0; }
  int rowsOfScalesA() const { return sharesScalesA() ? rowsA() : ctaRows(); } // that this CTA brings
  /// Whether the products of scales are made while the tensor core multiplies for them. Where each element
  /// has its own, a warpgroup that multiplies alone gains by it; others are in each other's way.
  bool multipliesScalesEarly() const { return !hasScaleRowsB || storeWarps == 4; }
  /// Whether what a tile begins with is fetched in the first step of the one before (TilesAhead.cpp): not
  /// where a multiprocessor has one tile, or groups say what is next.
  bool fetchesAhead() const { return loadsBoxes() && !isSmall() && !hasGroups; }
  int registersAtLaunch() const { return kMultiprocessorRegisters / (32 * (storeWarps + 4)) / 8 * 8; }
  int firstLoadWarp() const { return storeWarps; }

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  PipelineShape pipeline() const override;
  int scheduleWarp() const override { return storeWarps + 3; } // the last one of those that load
  void emitBefore(mx::ProductOpInterface op, const KernelSignature &signature,
                  EntryFunction &function) const override;
  void emitRoles(const TileEntry &e) const override;

private:
  bool sharesB() const { return ctas() > 1 && !sharesA(); }
  llvm::ArrayRef<int32_t> registers() const;
};

using BlockwiseEntry = MachineEntry<BlockwisePlan>;

void emitMultiplyAndPromote(const BlockwiseEntry &e); // MultiplyAndPromote.cpp

} // namespace mxc
