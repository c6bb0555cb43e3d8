#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

// 2^32 / d but for less than 1.01. f32's reciprocal is within 2^-22 of it and each conversion within 2^-24,
// so a factor of 1 - 2^-21 makes an estimate from below: e = 2^32 / d (1 - z) with 0 < z < 2^-20. It lacks
// 2^32 - e d = 2^32 z, and e + e z = 2^32 / d (1 - z^2).
Divisor Divisor::ofTile(const ValueBuilder &v, Value number) {
  constexpr float kBelow = 4294965248.0f; // 2^32 (1 - 2^-21)
  Type f32 = v.b.getF32Type(), i32 = v.b.getI32Type();
  Value reciprocal = nvvm::approximateReciprocal(v, arith::UIToFPOp::create(v.b, v.loc, f32, number));
  Value factor = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(kBelow));
  Value scaled = arith::MulFOp::create(v.b, v.loc, reciprocal, factor);
  Value estimate = arith::FPToUIOp::create(v.b, v.loc, i32, scaled);
  Value lack = v.sub(v.i32(0), v.mul(estimate, number));
  Value more = arith::MulUIExtendedOp::create(v.b, v.loc, estimate, lack).getHigh();
  return {number, v.add(estimate, more)};
}

std::pair<Value, Value> Divisor::divide(const ValueBuilder &v, Value x) const {
  Value estimate = arith::MulUIExtendedOp::create(v.b, v.loc, x, inverse).getHigh();
  Value rest = v.sub(x, v.mul(estimate, number));
  Value isBelow = v.cmp(ValueBuilder::Predicate::uge, rest, number);
  return {v.select(isBelow, v.add(estimate, 1), estimate), v.select(isBelow, v.sub(rest, number), rest)};
}

} // namespace mxc
