// The inputs of a CTA's tile in shared memory, where bulk copies bring them: a ring that is filled once.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"

namespace mxc {

/// A part (bytes) an input, and more where the tile wants it; at the beginning of the entry's shared memory.
RingShape inputRing(llvm::ArrayRef<int64_t> regions);

/// The pipeline, whose only ring it is, and the ring.
mlir::Value beginInputs(const ValueBuilder &v, mlir::Value shared, int warps, const RingShape &ring);

/// Boxes of every input (`maps`): `count` one after the other in its part, `rowsApart` rows from each other;
/// the first begins at (row, column), i32. By one thread.
struct InputBoxes {
  llvm::SmallVector<mlir::Value> maps;
  llvm::SmallVector<int64_t> bytes; // of a box, an input
  mlir::Value row, column;
  int count = 1, rowsApart = 0;
};
void fillBoxes(const ValueBuilder &v, mlir::Value ring, const InputBoxes &boxes);

/// Where part `part` lies, for who uses the ring.
mlir::Value inputAddress(const ValueBuilder &v, mlir::Value ring, mlir::Value stage, int part);

} // namespace mxc
