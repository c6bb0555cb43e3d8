// Products with few rows of a, on warpgroups: b's rows are the M side of wgmma and pass by once, from shared
// memory through registers, where they become bf16; a's rows, its N side, become
// bf16 in shared memory, or in copies made in the same launch. A cluster's CTAs, and pairs of warpgroups in
// them, share K and add their sums in its order.
#pragma once

#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

namespace mxc {

inline constexpr int kSwappedRows = 128; // of b, a pair of warpgroups: 64 each

struct SwappedPlan {
  mx::SwapTileAttr tile;
  RingShape weights, codes,
      tokens; // of each part: b's codes and scale tile, a's; both halves of a's K in bf16
  SharedLayout shared;

  int parts() const { return int(tile.getParts()); }
  int sets() const { return parts() == 1 ? 2 : 1; } // of fragments, as many as there are registers for

  /// Whether a's bf16 values are made once for all CTAs, by way of a workspace, and not in each: 128 rows are
  /// more instructions than a CTA has to spare.
  bool usesCopies() const { return tile.getTokens() == 128; }
  CopyPlan copies() const {
    return {false, /*unitRows=*/32, /*blockRows=*/128, /*warps=*/3, /*forFragments=*/true};
  }

  // Warps: eight of each part multiply, one brings b, one a, the rest make bf16 of a.
  int multiplyingWarps() const { return 8 * parts(); }
  int dequantizingWarps() const { return usesCopies() ? 2 : std::min<int>(4, tile.getTokens() / 8); }
  int warps() const { return multiplyingWarps() + 2 + dequantizingWarps(); }

  // A part's sums lie where its tokens were.
  int rowWords() const { return kSwappedRows + 4; } // the gap keeps a warp's stores in all banks
  int64_t sumBytes() const { return int64_t(tile.getTokens()) * rowWords() * 4; }
};

SwappedPlan planSwapped(mx::SwapTileAttr tile);

/// A stage of a's codes and scales, and the one that their bf16 values go to.
struct TokenStages {
  mlir::Value codes, codeStage, values, valueStage;
};
/// Emits what `warps` warps of a role do with a stage: of `tokens` rows, the first of them `firstRow` of a,
/// of which `blocks` blocks lie before K's end (i32).
void emitDequantizeTokens(const MatmulEntry &e, const ValueBuilder &v, const TokenStages &at, int tokens,
                          int warps, mlir::Value firstRow, mlir::Value blocks);

/// The roles, and what follows them: sums to results.
void emitSwapped(const MatmulEntry &e, const SwappedPlan &plan);

/// The variant of that tile; none where the operation asks for sequential sums. Failure after an error.
mlir::LogicalResult lowerSwapped(mx::MatmulOp op, mx::SwapTileAttr tile, mlir::ModuleOp module,
                                 const Target &target, KernelSignature &signature);

} // namespace mxc
