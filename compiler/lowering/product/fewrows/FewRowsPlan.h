// Products with few rows of a, on warpgroups: b's rows are the M side of wgmma and pass by once, from shared
// memory through registers, where they become bf16; a's rows, its N side, become bf16 in shared memory, or in
// copies made in the same launch. A cluster's CTAs, and pairs of warpgroups in them, share K and add their
// sums in its order.
#pragma once

#include "compiler/lowering/product/plan/ProductEntry.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

namespace mxc {

inline constexpr int kFewRowsColumns = 128; // rows of b, a pair of warpgroups: 64 each

class FewRowsPlan : public ProductPlan {
public:
  mx::SwapTileAttr tile;
  // Of each part: b's codes and scale tile, a's; both halves of a's K in bf16.
  RingShape weights, codes, tokens;
  SharedLayout shared;

  explicit FewRowsPlan(mx::SwapTileAttr tile);

  int parts() const { return int(tile.getParts()); }
  int sets() const { return parts() == 1 ? 2 : 1; } // of fragments, as many as there are registers for

  /// Whether a's bf16 values are made once for all CTAs, by way of a workspace, and not in each: 128 rows are
  /// more instructions than a CTA has to spare.
  bool usesCopies() const { return tile.getTokens() == 128; }
  CopyPlan copies() const {
    return {.both = false, .unitRows = 32, .blockRows = 128, .warps = 3, .forFragments = true};
  }

  // Warps: eight of each part multiply, one brings b, one a, the rest make bf16 of a.
  int multiplyingWarps() const { return 8 * parts(); }
  int dequantizingWarps() const { return usesCopies() ? 2 : std::min<int>(4, tile.getTokens() / 8); }
  int warps() const { return multiplyingWarps() + 2 + dequantizingWarps(); }

  // A part's sums lie where its tokens were.
  int rowWords() const { return kFewRowsColumns + 4; } // the gap keeps a warp's stores in all banks

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions() const override;
  EntryPlan entry(mx::MatmulOp op, const KernelSignature &signature) const override;
  void emit(mx::MatmulOp op, const KernelSignature &signature, EntryFunction &function) const override;
};

/// A stage of a's codes and scales, and the one that their bf16 values go to.
struct TokenStages {
  mlir::Value codes, codeStage, values, valueStage;
};
/// Emits what `warps` warps of a role do with a stage: of `tokens` rows, the first of them `firstRow` of a,
/// of which `blocks` blocks lie before K's end (i32).
void emitDequantizeTokens(const ProductEntry &e, const ValueBuilder &v, const TokenStages &at, int tokens,
                          int warps, mlir::Value firstRow, mlir::Value blocks);

/// The roles, and what follows them: sums to results.
void emitFewRows(const ProductEntry &e, const FewRowsPlan &plan);

} // namespace mxc
