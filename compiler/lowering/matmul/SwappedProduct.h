// Products with few rows of a, on warpgroups: b's rows are the M side of wgmma and pass by once, from shared
// memory through registers, where they become bf16; a's rows, its N side, come from copies made in the same
// launch. A cluster's CTAs share K and add their sums in its order.
#pragma once

#include "compiler/lowering/EntryDriver.h"
#include "compiler/lowering/matmul/OperandCopies.h"

namespace mxc {

inline constexpr int kSwappedRows = 128; // of b, a CTA: 64 a warpgroup

struct SwappedPlan {
  mx::SwapTileAttr tile;
  RingShape weights, tokens; // b's codes and scale tile; both halves of a's K
  SharedLayout shared;

  // Warps: 0 to 7 multiply, 8 brings b, 9 brings a, the rest copy a.
  static constexpr int kWarps = 12;
  int rowWords() const { return kSwappedRows + 4; } // of sums; the gap keeps a warp's stores in all banks
  int64_t sumBytes() const { return int64_t(tile.getTokens()) * rowWords() * 4; }
  CopyPlan copies() const {
    return {false, /*unitRows=*/32, std::max<int>(32, tile.getTokens()), /*warps=*/3, /*forFragments=*/true};
  }
};

SwappedPlan planSwapped(mx::SwapTileAttr tile);

/// The roles, and what follows them: sums to results.
void emitSwapped(const MatmulEntry &e, const SwappedPlan &plan);

/// The variant of that tile; none where the operation asks for sequential sums. Failure after an error.
mlir::LogicalResult lowerSwapped(mx::MatmulOp op, mx::SwapTileAttr tile, mlir::ModuleOp module,
                                 const Target &target, KernelSignature &signature);

} // namespace mxc
