// Products on warpgroups (wgmma) of bf16 copies of the operands, or of one operand's copy and the other's
// codes: what a tile takes, and its roles. Warps 0 to 7 multiply and store, 8 loads copies, 9 codes where
// there are such, the rest make the copies. Where tiles are handed out, 9 does that, and 8 loads codes, too.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

namespace mxc {

/// Of a warp's fragments: rows of the operand in flight.
inline constexpr int kTransposedColumns = 16;

class WarpgroupPlan : public ClusterTilePlan {
public:
  WarpgroupPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile);

  BlockFormatInfo formatA;
  int narrowest; // bits of an element of the narrower operand
  bool isRaggedK;
  RingShape codes; // of the operand in flight

  int warps() const { return 12; }
  static int loadWarp() { return 8; }
  static int codeWarp() { return 9; }
  // More warps would leave too few registers for the sums, and fewer that copy take longer to
  // (docs/performance.md).
  static int scheduleWarp() { return 9; }
  bool loadsCodesApart() const { return isInFlight() && !handsOut(); }
  int firstCopyWarp() const { return isInFlight() || handsOut() ? 10 : 9; }
  int copyWarps() const { return warps() - firstCopyWarp(); }
  int bitsA() const { return mxc::info(formatA.element).bits(); }
  int blocksOfSlab() const { return kStepK / formatA.blockColumns; } // of a row of a
  int scaleTilesOfSlab() const { return blocksOfSlab() / int(kScaleTileBlocks); }
  // One operand: its rows are the tensor cores' M side, and of the accumulators' fragments.
  bool isInFlight() const { return tile.getA() != mx::LeftOperand::Copied; }
  bool isBInFlight() const { return tile.getA() == mx::LeftOperand::CopiedAlone; }
  int partN() const { return isInFlight() ? 0 : kPartB; } // of a stage: what the tensor cores' N side has
  int sideN() const { return int(isBInFlight() ? tile.getM() : tile.getN()); } // its rows
  ResultFragment fragment() const {
    return isBInFlight() ? ResultFragment::WarpgroupPairsTransposed : ResultFragment::WarpgroupPairs;
  }
  CopyPlan copies() const;
  /// Whether the warps that copy get more registers: where a is in flight its fragments lie beside the sums,
  /// but slices, and an epilogue of two parts, take fewer than one that quantizes all columns.
  bool hasRegistersForCopies() const { return !isInFlight() || parts > 1 || tile.getSlices() > 1; }

  /// Of a tile's rows that are copied alone: where no more than half are there, half are multiplied. Groups
  /// of K and results of 32 bits leave no registers for it: ptxas runs wgmma one after the other then.
  bool hasHalfTiles() const { return isBInFlight() && tile.getM() == 256 && !isRaggedK && elementBytes == 2; }
  mlir::Value isHalfTile(const ValueBuilder &v, const TileRecord &tile) const; // i1
  int rowsOfTransposedBox() const { return storeRows * kBoxRowBytes / (kTransposedColumns * elementBytes); }

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;
  EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const override;
  void emit(mx::ProductOpInterface op, const KernelSignature &signature,
            EntryFunction &function) const override;

private:
  std::string refusalOfB(const Target &target) const;
  void narrow(TensorMapRecipe &map) const;
};

/// What the roles of an entry point share.
struct WarpgroupEntry : ClusterTileEntry<WarpgroupPlan> {
  mlir::Value codes; // ring; null where a is copied
  const OperandCopies &copies;
};

// A function a role.
void emitLoadCopies(const WarpgroupEntry &e); // LoadCopies.cpp
void emitLoadCodes(const WarpgroupEntry &e);  // LoadCodes.cpp
/// Rows of a tile by index, for the role that brings their codes; none where there is no index.
std::optional<LaneRows> codesByIndex(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile);
/// A slab of 128 elements of K of a tile's codes and scales, to the next stage of their ring.
void fillCodes(const WarpgroupEntry &e, const ValueBuilder &v, const TileRecord &tile,
               const std::optional<LaneRows> &byIndex, mlir::Value slab);
void emitMultiplyOnWarpgroups(const WarpgroupEntry &e); // MultiplyOnWarpgroups.cpp

} // namespace mxc
