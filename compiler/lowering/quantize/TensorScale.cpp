#include "compiler/lowering/quantize/TensorScale.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/Quotients.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr float kLeast = 0x1p-80f, kMost = 0x1p80f; // of the tensor's scale and of its reciprocal

class TensorNumber {
public:
  TensorNumber(const ValueBuilder &v, Value given) : v_(v), given_(given) {}

  Value given() const { return given_; }
  Value within(float factor) const {
    Value least = nvvm::maxIgnoringNan(v_, nvvm::absolute(v_, given_), constant(factor * kLeast));
    return nvvm::minIgnoringNan(v_, least, constant(factor * kMost));
  }
  Value reciprocal() const { return reciprocalOf(within(1)); }
  // g / range, or range / g.
  Value ofAmax(float range, bool isInverse) const {
    Value amax = within(range), most = constant(range);
    return isInverse ? quotientBy(v_, most, amax, reciprocalOf(amax))
                     : quotientBy(v_, amax, most, constant(1 / range));
  }

private:
  Value constant(float x) const { return arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(x)); }
  Value reciprocalOf(Value x) const {
    return reciprocalFrom(v_, x, nvvm::approximateReciprocal(v_, x), constant(1));
  }

  ValueBuilder v_;
  Value given_;
};

} // namespace

Value tensorScaleOf(EntryFunction &entry, const KernelSignature &signature, mx::QuantizeOp op,
                    mx::Axis copy) {
  if (!op.getTensorScale()) return {};
  ValueBuilder v = entry.values();
  Value place = entry.pointer(signature.argument(op.getTensorScale()).name);
  if (op.hasTwoTensors() && copy == mx::Axis::Column) place = nvvm::offsetBytes(v, place, v.i64(4));
  Value given = nvvm::load(v, v.b.getF32Type(), place, 4);
  const QuantizeRule rule = op.getRule();
  const bool isInverse = rule.rounding == Rounding::Reciprocal;
  const TensorNumber number(v, given);
  switch (rule.sense) {
  case TensorSense::Scale:
    return isInverse ? number.reciprocal() : given;
  case TensorSense::Amax:
    return number.ofAmax(tensorRange(rule.format, rule.isFourOverSix), isInverse);
  case TensorSense::Divisor:
    break;
  }
  return isInverse ? number.within(1) : number.reciprocal();
}

Value tensorScaleOf(EntryFunction &entry, const KernelSignature &signature, Value given,
                    mx::TensorSense sense, BlockFormat format) {
  if (!given) return {};
  ValueBuilder v = entry.values();
  const TensorNumber number(
      v, nvvm::load(v, v.b.getF32Type(), entry.pointer(signature.argument(given).name), 4));
  switch (sense) {
  case mx::TensorSense::Scale:
    return number.given();
  case mx::TensorSense::Amax:
    return number.ofAmax(tensorRange(format, /*isFourOverSix=*/false), /*isInverse=*/false);
  case mx::TensorSense::Divisor:
    break;
  }
  return number.reciprocal();
}

} // namespace mxc
