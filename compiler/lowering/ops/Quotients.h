// Quotients of f32 as IEEE 754 rounds them, by multiply-adds and a reciprocal: a third of a division's
// instructions, where quotient, reciprocal and remainder are normal numbers. For one value or for two.
#pragma once

#include "compiler/lowering/nvvm/Vectors.h"

namespace mxc {

/// 1 / x to nearest from one that is near; `one` is 1 of x's type.
inline mlir::Value reciprocalFrom(const ValueBuilder &v, mlir::Value x, mlir::Value near, mlir::Value one) {
  mlir::Value rest = nvvm::multiplyAdd(v, mlir::arith::NegFOp::create(v.b, v.loc, x), near, one);
  return nvvm::multiplyAdd(v, rest, near, near);
}

inline mlir::Value quotientBy(const ValueBuilder &v, mlir::Value x, mlir::Value y,
                              mlir::Value reciprocalOfY) {
  mlir::Value near = mlir::arith::MulFOp::create(v.b, v.loc, x, reciprocalOfY);
  mlir::Value rest = nvvm::multiplyAdd(v, mlir::arith::NegFOp::create(v.b, v.loc, y), near, x);
  return nvvm::multiplyAdd(v, rest, reciprocalOfY, near);
}

} // namespace mxc
