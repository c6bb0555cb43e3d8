// bf16 copies of a product's operands in a workspace: made once by spare warps of all CTAs, read by every
// tile.
//
//   copies    a [batches][M][slabs * 128], after it b [batches][parts][N][slabs * 128], bf16; slabs =
//             ceil(K / 128). With rows in groups a has no batches, and b's are the groups
//   rows      a alone
//   columns   b alone
//   counts    words: tickets taken, CTAs that are through, then from byte 64 on, for each operand, batch,
//   block of
//             rows and slab, how many of its units are done. Zeros before and after a launch.
#pragma once

#include "compiler/lowering/product/plan/ProductEntry.h"

namespace mxc {

/// What the first wave of tiles reads, of both operands.
struct CopyWave {
  int ctas = 1, supergroup = 1; // of the clusters, and rows of tiles in a supergroup
  int tileM = 0, tileN = 0;
};

/// What is copied, and what a count stands for.
struct CopyPlan {
  CopiedOperands operands = CopiedOperands::Both;
  int unitRows = 64;         // that a warp copies at a time, 128 elements of each
  int blockRows = 128;       // that a count stands for
  int warps = 4;             // that make or await copies, of a CTA
  bool forFragments = false; // within 128 elements in the order of mx.load_fragments
  int kShares = 1;           // of K, which begin at the same time
  bool byRuns = true;        // rows of a and b lie at multiples of 16 bytes, K is a multiple of 16
  CopyWave first = {};       // where tiles come in waves
  bool byWaves = true;       // groups' b, too; that takes registers
  bool has(bool isB) const { return operands != (isB ? CopiedOperands::A : CopiedOperands::B); }
  int unitsPerBlock() const { return blockRows / unitRows; }
};
inline constexpr llvm::StringLiteral kCounts = "mxc.counts"; // an argument of the ABI
/// The argument that holds the copies.
llvm::StringRef nameOfCopies(CopiedOperands operands);

/// Adds the workspaces to the kernel's arguments, those that some tile of `op` may have.
void addOperandCopies(mx::ProductOpInterface op, KernelSignature &signature);

/// The map over the copies that a box's rows are of, in boxes of 64 elements.
TensorMapRecipe copiesMap(const OperandBox &box, mx::ProductOpInterface op, const KernelSignature &signature);

/// The addresses of an entry's copies.
class OperandCopies {
public:
  OperandCopies(const ProductEntry &e, const CopyPlan &plan);

  const CopyPlan &plan() const { return plan_; }

  mlir::Value slabs() const { return slabs_; }                             // i32
  mlir::Value blocks(bool isB) const { return isB ? blocksB_ : blocksA_; } // i32, of a batch or matrix
  mlir::Value allBlocks(const ValueBuilder &v) const;
  /// Where row `row` of a batch begins, of b of a matrix.
  mlir::Value row(const ValueBuilder &v, bool isB, mlir::Value batch, mlir::Value row) const;
  /// The counts of a block of its rows, one a slab.
  mlir::Value counts(const ValueBuilder &v, bool isB, mlir::Value batch, mlir::Value block) const;
  mlir::Value tickets(const ValueBuilder &v) const;
  /// At the end of a role that makes or awaits copies: the grid's last one leaves zeros.
  void leave(const ValueBuilder &v) const;

private:
  const ProductEntry &e_;
  CopyPlan plan_;
  mlir::Value copies_, counts_, slabs_, blocksA_, blocksB_;
};

} // namespace mxc
