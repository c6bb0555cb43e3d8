// Shorthand to build scalar and vector arithmetic: what remains readable when index computations are
// written out.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mxc {

struct ValueBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;
  using Type = mlir::Type;
  using Predicate = mlir::arith::CmpIPredicate;

  Value constant(Type type, int64_t value) const {
    return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value i1(bool value) const { return constant(b.getI1Type(), value); }
  Value i32(int64_t value) const { return constant(b.getI32Type(), value); }
  Value i64(int64_t value) const { return constant(b.getI64Type(), value); }
  Value like(Value v, int64_t value) const { return constant(v.getType(), value); }

  Value add(Value x, Value y) const { return mlir::arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return mlir::arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return mlir::arith::MulIOp::create(b, loc, x, y); }
  Value divu(Value x, Value y) const { return mlir::arith::DivUIOp::create(b, loc, x, y); }
  Value remu(Value x, Value y) const { return mlir::arith::RemUIOp::create(b, loc, x, y); }
  Value bitAnd(Value x, Value y) const { return mlir::arith::AndIOp::create(b, loc, x, y); }
  Value bitOr(Value x, Value y) const { return mlir::arith::OrIOp::create(b, loc, x, y); }
  Value bitXor(Value x, Value y) const { return mlir::arith::XOrIOp::create(b, loc, x, y); }
  Value shl(Value x, Value y) const { return mlir::arith::ShLIOp::create(b, loc, x, y); }
  Value shru(Value x, Value y) const { return mlir::arith::ShRUIOp::create(b, loc, x, y); }
  Value minu(Value x, Value y) const { return mlir::arith::MinUIOp::create(b, loc, x, y); }
  Value maxu(Value x, Value y) const { return mlir::arith::MaxUIOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) const {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value cmp(Predicate predicate, Value x, Value y) const {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, Value y) const { return cmp(Predicate::slt, x, y); }
  Value equal(Value x, Value y) const { return cmp(Predicate::eq, x, y); }

  Value add(Value x, int64_t y) const { return y == 0 ? x : add(x, like(x, y)); }
  Value mul(Value x, int64_t y) const { return y == 1 ? x : mul(x, like(x, y)); }
  Value divu(Value x, int64_t y) const { return y == 1 ? x : divu(x, like(x, y)); }
  Value ceilDivu(Value x, int64_t y) const { return divu(add(x, y - 1), y); } // x + y - 1 does not overflow
  Value remu(Value x, int64_t y) const { return remu(x, like(x, y)); }
  Value bitAnd(Value x, int64_t y) const { return bitAnd(x, like(x, y)); }
  Value bitXor(Value x, int64_t y) const { return bitXor(x, like(x, y)); }
  Value shl(Value x, int64_t y) const { return y == 0 ? x : shl(x, like(x, y)); }
  Value shru(Value x, int64_t y) const { return y == 0 ? x : shru(x, like(x, y)); }

  // Zero extension and truncation; a value that has the width already is returned as it is.
  Value toI64(Value x) const {
    return x.getType().isInteger(64) ? x : mlir::arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
  }
  Value toI32(Value x) const {
    return x.getType().isInteger(32) ? x : mlir::arith::TruncIOp::create(b, loc, b.getI32Type(), x);
  }
};

} // namespace mxc
