// Products with few rows of a, on warpgroups: b's rows are the M side of wgmma and pass by once, from shared
// memory through registers, where they become bf16; a's rows, its N side, become bf16 in shared memory, or in
// copies made in the same launch. A cluster's CTAs, and pairs of warpgroups in them, share K and add their
// sums in its order.
#pragma once

#include "compiler/lowering/product/plan/OperandCopies.h"
#include "compiler/lowering/product/plan/ProductEntry.h"

namespace mxc {

class FewRowsPlan : public ProductPlan {
public:
  static constexpr SideM kSideM = SideM::B;

  int operandBits; // of an element of the narrower one
  mx::SwapTileAttr tile;
  bool gathers; // rows of a
  int matrices; // of b, whose products one loop over K makes: they share the tile's rows of b
  // Each share of K has a ring of b's codes and scale tile, one of a's, and two of half a slab of a's K in
  // bf16.
  OperandRing weights, codes, tokens;

  FewRowsPlan(mx::ProductOpInterface op, mx::SwapTileAttr tile, const Target &target);

  int kShares() const { return int(tile.getParts()); } // of K, that pairs of warpgroups have
  int rowsOfB() const { return int(tile.getColumns()); }
  int columns() const { return rowsOfB() / matrices; } // of c

  int tokenScaleTiles() const { return kScaleTileRows % tile.getTokens() ? 2 : 1; } // that its rows lie in

  /// Whether a's bf16 values are made once for all CTAs, by way of a workspace, and not in each from codes.
  bool usesCopies() const { return tile.getCodeStages() == 0; }
  CopyPlan copies() const {
    return {.operands = copiedBeside(kSideM),
            .unitRows = tile.getTokens() >= 128  ? 32
                        : tile.getTokens() >= 64 ? 16
                                                 : 8, // some units a warp
            .blockRows = int(tile.getTokens()),
            .warps = 3,
            .forFragments = true,
            .kShares = int(tile.getSplits()) * kShares()};
  }

  // Warps: four for 64 columns of each share multiply, one brings b, one a, the rest make bf16 of a. Where
  // sums need more registers than a launch gives, the rest begins a warpgroup.
  int warpsOfShare() const { return rowsOfB() / 16; }
  int multiplyingWarps() const { return warpsOfShare() * kShares(); }
  int firstDequantizing() const;
  // In a role, which share groups of sixteen rows evenly; from codes there is a role for each half of a slab.
  int dequantizingWarps() const;
  int warps() const {
    int busy = firstDequantizing() + (usesCopies() ? 1 : 2) * dequantizingWarps();
    return registers().empty() ? busy : int(llvm::alignTo(busy, 4)); // whole warpgroups
  }

  /// For how many CTAs a multiprocessor's registers are to be enough; 0: any number.
  int residentCtas() const;

  /// The registers of a thread of each warpgroup, where more are needed than a launch of twelve warps has.
  llvm::ArrayRef<int32_t> registers() const;

  // A share's sums lie where its codes and tokens were.
  int rowWords() const { return rowsOfB() + 4; } // the gap keeps a warp's stores in all banks

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  llvm::SmallVector<RingShape> rings() const override;
  llvm::SmallVector<OperandBox> operandBoxes() const override;
  PipelineShape pipeline() const override;
  void complete(mx::ProductOpInterface op, const KernelSignature &signature, EntryPlan &entry) const override;
  void emitBefore(mx::ProductOpInterface op, const KernelSignature &signature,
                  EntryFunction &function) const override;
  void emitBody(mx::ProductOpInterface op, const KernelSignature &signature, EntryFunction &function,
                llvm::ArrayRef<mlir::Value> rings) const override;

private:
  int64_t multiprocessorShared; // bytes
};

/// A stage of a's codes and scales, and the one that the bf16 values of a half of them go to.
struct TokenStages {
  mlir::Value codes, codeStage, values, valueStage;
  int half;
};
/// Emits what `warps` warps of a role do with a stage: of `tokens` rows, the first of them `firstRow` of a,
/// of which `blocks` blocks lie before K's end (i32).
void emitDequantizeTokens(const ProductEntry &e, const ValueBuilder &v, const TokenStages &at, int tokens,
                          int warps, mlir::Value firstRow, mlir::Value blocks);

/// The roles, and what follows them: sums to results. `rings`: the plan's.
void emitFewRows(const ProductEntry &e, const FewRowsPlan &plan, llvm::ArrayRef<mlir::Value> rings);

} // namespace mxc
