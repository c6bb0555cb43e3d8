// Products on warpgroups (wgmma) of bf16 copies of the operands, or of one operand's copy and the other's
// codes: what a tile takes, and its roles. Warps 0 to 7 multiply and store, 8 loads copies, 9 codes where
// there are such, the rest make the copies. Where tiles are handed out, 9 does that, and 8 loads codes, too.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/product/plan/OperandCopies.h"

namespace mxc {

/// Rows of a warp's fragments: rows of the operand in flight.
inline constexpr int kTransposedColumns = 16;

class WarpgroupPlan : public ClusterTilePlan {
public:
  WarpgroupPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target);
  static void declare(mx::ProductOpInterface op, KernelSignature &signature);

  BlockFormatInfo formatA;
  int narrowest; // bits of an element of the narrower operand
  bool isRaggedK;
  OperandRing codes; // of the operand in flight

  static constexpr int kWarps = 12;
  static int loadWarp() { return 8; }
  static int codeWarp() { return 9; }
  bool loadsCodesApart() const { return isInFlight() && !handsOut(); }
  int firstCopyWarp() const { return isInFlight() || handsOut() ? 10 : 9; }
  int copyWarps() const { return kWarps - firstCopyWarp(); }
  int bitsA() const { return mxc::info(formatA.element).bits(); }
  int blocksOfSlab() const { return kStepK / formatA.blockColumns; } // of a row of a
  int scaleTilesOfSlab() const { return blocksOfSlab() / int(kScaleTileBlocks); }
  /// Whether one operand comes as codes: its rows are the tensor cores' M side, and of the accumulators'
  /// fragments.
  bool isInFlight() const { return tile.getA() != mx::LeftOperand::Copied; }
  SideM sideM() const { return tile.getA() == mx::LeftOperand::CopiedAlone ? SideM::B : SideM::A; }
  bool isBInFlight() const { return sideM() == SideM::B; }
  int regionN() const { return isInFlight() ? 0 : kRegionB; } // of a stage: what the tensor cores' N side has
  int sideN() const { return int(isBInFlight() ? tile.getM() : tile.getN()); } // its rows
  CopyPlan copies() const;
  /// Whether the warps that copy get more registers: where a is in flight its fragments lie beside the sums,
  /// but slices, and an epilogue of two parts, take fewer than one that quantizes all columns.
  bool hasRegistersForCopies() const { return !isInFlight() || matrices > 1 || tile.getSlices() > 1; }

  /// The boxes of `operands` where half of a's rows are there.
  llvm::SmallVector<OperandBox> halfBoxes() const;
  /// Whether tiles whose rows are copied alone are halved: where no more than half are there, half are
  /// multiplied. Groups of K and results of 32 bits leave no registers for it: ptxas runs wgmma one after the
  /// other then.
  bool hasHalfTiles() const { return isBInFlight() && tile.getM() == 256 && !isRaggedK && elementBytes == 2; }
  mlir::Value isHalfTile(const ValueBuilder &v, const TileRecord &tile) const; // i1
  int rowsOfTransposedBox() const { return storeRows * kBoxRowBytes / (kTransposedColumns * elementBytes); }

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  llvm::SmallVector<RingShape> rings() const override;
  llvm::SmallVector<OperandBox> operandBoxes() const override;
  bool readsPieces() const override { return loadsBoxes(); }
  PipelineShape pipeline() const override;
  // More warps would leave too few registers for the sums, and fewer that copy take longer to
  // (docs/performance.md).
  int scheduleWarp() const override { return 9; }
  ShapeExpression pieces(const ProductExtents &at) const override;
  void narrow(TensorMapRecipe &map) const override;
  void finish(mx::ProductOpInterface op, const KernelSignature &signature, EntryPlan &entry) const override;
  void emitRoles(const TileEntry &e) const override;

private:
  std::string refusalOfB(const Target &target) const;
  OperandRing copiesRing(mx::ProductOpInterface op) const;
};

struct WarpgroupEntry : MachineEntry<WarpgroupPlan> {
  mlir::Value codes = ring("codes"); // null where both operands are copied
  const OperandCopies &copies;

  WarpgroupEntry(const TileEntry &e, const WarpgroupPlan &plan, const OperandCopies &copies)
      : MachineEntry(e, plan), copies(copies) {}
};

// A function a role.
void emitLoadCopies(const WarpgroupEntry &e);           // LoadCopies.cpp
void emitMultiplyOnWarpgroups(const WarpgroupEntry &e); // MultiplyOnWarpgroups.cpp

} // namespace mxc
