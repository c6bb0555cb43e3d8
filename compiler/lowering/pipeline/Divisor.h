// Division by a number that is known before what it divides.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Unsigned division of i32 below 2^31 by a number that is not 0: x * inverse / 2^32 is the quotient or one
/// below.
struct Divisor {
  mlir::Value number, inverse;

  /// Once a role: LLVM takes the number for no zero from there on, and makes less of what follows.
  static Divisor of(const ValueBuilder &v, mlir::Value number) { return {number, v.divu(v.i32(-1), number)}; }
  /// Anew in every tile, in half of the instructions.
  static Divisor ofTile(const ValueBuilder &v, mlir::Value number);

  std::pair<mlir::Value, mlir::Value> divide(const ValueBuilder &v,
                                             mlir::Value x) const; // quotient, remainder
};

} // namespace mxc
