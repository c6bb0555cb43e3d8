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

  /// `bits`: of an element.
  ElementRows(const ProductEntry &e, const ValueBuilder &v, int bits);

  mlir::Value thread() const { return thread_; }
  /// 128 bytes each of `rows` rows of `operand` from `first` on, of which there are `extent`: those of step
  /// `step` along K. `matrix`: which of the operand's; null where it is one.
  void bring(mlir::Value operand, mlir::Value to, int64_t rows, mlir::Value step, mlir::Value first,
             mlir::Value extent, mlir::Value matrix) const;

private:
  // Bytes of elements that are whole bytes; elements of bytes.
  mlir::Value bytesOf(mlir::Value elements) const { return bits_ == 8 ? elements : v_.shru(elements, 1); }
  mlir::Value elementsOf(mlir::Value bytes) const { return bits_ == 8 ? bytes : v_.shl(bytes, 1); }

  const ProductEntry &e_;
  const ValueBuilder &v_;
  int bits_;
  mlir::Value thread_;
};

} // namespace mxc
