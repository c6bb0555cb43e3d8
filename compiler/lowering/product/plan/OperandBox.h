// What a stage of an operands' ring has, as data: a row a box. The ring's regions, the tensor maps, what
// those ask of addresses, the bytes that a stage's barrier counts and the copies of every load role follow
// from it.
#pragma once

#include "compiler/lowering/entry/KernelSignature.h"
#include "compiler/lowering/pipeline/RingShape.h"

namespace mxc {

enum class BoxContent {
  Rows,       // 128 bytes of each, under the 128B swizzle; fewer as they are
  PaddedRows, // of elements below 8 bits, which take a byte each in shared memory
  ScaleTiles, // in the layout tcgen05
  ScaleLines, // of f32, MN-major: a line of rows a block of K
};

/// Who brings a box in a cluster of two CTAs.
enum class BoxOwner {
  Each,       // each CTA, for itself
  Half,       // each a half of the rows, which tensor cores of a pair read where they are
  HalfToBoth, // each a half of the rows, to both
};

/// Operands that have bf16 copies in a workspace (OperandCopies.h).
enum class CopiedOperands { Both, A, B };

/// The operand whose rows are the tensor core's M side where those come as codes, through registers. The
/// other's rows, bf16 in shared memory, are its N side.
enum class SideM { A, B };
inline CopiedOperands copiedBeside(SideM side) {
  return side == SideM::A ? CopiedOperands::B : CopiedOperands::A;
}

struct OperandBox {
  bool isB = false;
  mlir::Value argument; // of the kernel
  BoxContent content = BoxContent::Rows;
  int rows;         // that one copy brings: of b those of all `matrices` together
  int step;         // along K, of a stage: elements, tiles or lines
  int copies = 1;   // that a step takes, one after the other along K
  int matrices = 0; // of b, in equal numbers; 0: b has no such dimension
  BoxOwner owner = BoxOwner::Each;
  bool isGathered = false;                   // rows of a by index, which lanes bring and no tensor map
  std::optional<CopiedOperands> copied = {}; // the rows are those of the copies in this workspace
  unsigned map = 0;                          // which one of those over the workspace

  bool areRows() const { return content == BoxContent::Rows || content == BoxContent::PaddedRows; }
  int bits() const { // of an element
    return copied ? 16 : int(mlir::getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth());
  }
  int along() const { return step / copies; } // of a copy
  /// Bytes of a row of a copy in global memory.
  int rowBytes() const { return along() * bits() / 8; }
  /// Bytes of a copy in global memory, which are those that its barrier counts.
  int64_t bytes() const;
  /// Bytes of the stage from a copy to the next.
  int64_t pitch() const;
  int64_t regionBytes() const { return copies * pitch(); }
  int rowsOfMatrix() const { return rows / std::max(1, matrices); }
};

/// A ring whose stages have those boxes, a region each.
struct OperandRing : RingShape {
  llvm::SmallVector<OperandBox> boxes;

  OperandRing() = default;
  OperandRing(std::string name, int stages, llvm::ArrayRef<OperandBox> boxes);
};

/// Elements of K that a tile of an operand's scales has.
int scaleTileK(mx::ProductOpInterface op, bool isB);
/// The tensor map that a box is copied by.
TensorMapRecipe mapOf(const OperandBox &box, mx::ProductOpInterface op, const KernelSignature &signature);

} // namespace mxc
