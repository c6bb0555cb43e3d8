// bf16 copies of a product's operands in a workspace: made once by spare warps of all CTAs, read by every
// tile.
//
//   copies    a [batches][M][slabs * 128], behind it b [batches][N][slabs * 128], bf16; slabs = ceil(K / 128)
//   counts    words: tickets taken, CTAs that are through, then from byte 64 on, for each operand, batch, 128
//   rows and
//             slab, how many of its four units of 32 rows are done. Zeros before and after a launch.
#pragma once

#include "compiler/lowering/matmul/MatmulRoles.h"

namespace mxc {

inline constexpr int kUnitRows = 32, kUnitsPerBlock = 4, kBlockRows = kUnitRows * kUnitsPerBlock;
inline constexpr llvm::StringLiteral kCopies = "mxc.copies", kCounts = "mxc.counts"; // arguments of the ABI

/// Adds the two workspaces to the kernel's arguments.
void addOperandCopies(mx::MatmulOp op, KernelSignature &signature);

/// Maps over the copies of a and of b, for boxes of a stage.
std::array<TensorMapRecipe, 2> operandCopyMaps(mx::MatmulOp op, const KernelSignature &signature,
                                               const MatmulPlan &plan);

/// The addresses of an entry's copies.
class OperandCopies {
public:
  explicit OperandCopies(const MatmulEntry &e);

  mlir::Value slabs() const { return slabs_; }                             // i32
  mlir::Value blocks(bool isB) const { return isB ? blocksB_ : blocksA_; } // i32: of 128 rows
  /// Where row `row` of a batch begins.
  mlir::Value row(const ValueBuilder &v, bool isB, mlir::Value batch, mlir::Value row) const;
  /// The counts of 128 rows, one a slab.
  mlir::Value counts(const ValueBuilder &v, bool isB, mlir::Value batch, mlir::Value block) const;
  mlir::Value tickets(const ValueBuilder &v) const;
  /// Behind all roles: the last CTA leaves zeros.
  void emitClear() const;

private:
  const MatmulEntry &e_;
  mlir::Value copies_, counts_, slabs_, blocksA_, blocksB_;
};

} // namespace mxc
