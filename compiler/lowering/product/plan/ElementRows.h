// Rows of an operand, where no tensor map can read them: at any address, byte by byte.
#pragma once

#include "compiler/lowering/product/plan/ProductEntry.h"

namespace mxc {

/// What lies outside is zero; nothing is read there.
mlir::Value loadWhere(const ValueBuilder &v, mlir::Value inside, mlir::Type type, mlir::Value base,
                      mlir::Value offset, unsigned bytes);

/// Rows on their way to the places of the 128B swizzle in shared memory: thread t of a role of four warps
/// brings rows t, t + 128, ..
class ElementRows {
public:
  static constexpr int kThreads = 128;

  /// `bits`: of an element. `isPadded`: 16 elements take 16 bytes there, their codes at the beginning.
  ElementRows(const ProductEntry &e, const ValueBuilder &v, int bits, bool isPadded = false);

  mlir::Value thread() const { return thread_; }
  /// 128 bytes each of `rows` rows of `operand` from `first` on, of which there are `extent`: those of step
  /// `step` along K. `matrix`: which of the operand's; null where it is one. Of rows of a by index `first`
  /// and `extent` are of the groups. `phase`: the tile's (TileRecord).
  void bring(mlir::Value operand, mlir::Value to, int64_t rows, mlir::Value step, mlir::Value first,
             mlir::Value extent, mlir::Value matrix, mlir::Value phase = {}) const;

private:
  const ProductEntry &e_;
  const ValueBuilder &v_;
  int bits_, chunkElements_; // elements of 16 bytes there
  mlir::Value thread_;
};

} // namespace mxc
