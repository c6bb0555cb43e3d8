// Division by a number that is known long before what it divides.
#pragma once

#include "compiler/lowering/entry/ValueBuilder.h"

namespace mxc {

/// Unsigned division of i32 by a number that many are divided by: x * floor((2^32 - 1) / d) / 2^32 is the
/// quotient or one below.
struct Divisor {
  mlir::Value number, inverse;

  static Divisor of(const ValueBuilder &v, mlir::Value number) { return {number, v.divu(v.i32(-1), number)}; }

  std::pair<mlir::Value, mlir::Value> divide(const ValueBuilder &v,
                                             mlir::Value x) const { // quotient, remainder
    mlir::Value estimate = mlir::arith::MulUIExtendedOp::create(v.b, v.loc, x, inverse).getHigh();
    mlir::Value rest = v.sub(x, v.mul(estimate, number));
    mlir::Value isBelow = v.cmp(ValueBuilder::Predicate::uge, rest, number);
    return {v.select(isBelow, v.add(estimate, 1), estimate), v.select(isBelow, v.sub(rest, number), rest)};
  }
};

} // namespace mxc
