// Two quotients, a product and a reciprocal, each as IEEE 754 rounds it, by multiply-adds: the tensor's scale
// is within what keeps them normal, and where the first is not, the scale is 0 however it is rounded. A
// special maximum becomes NaN on the way, and NaN stays NaN up to the codes of the elements.
#include "compiler/lowering/ops/TwoLevelScales.h"
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/Quotients.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;

namespace mxc {

Value decodeUe4m3(const ValueBuilder &v, Type scale, Value codes) {
  Value halves = nvvm::decodePair(v, scale, codes);
  return arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), nvvm::element(v, halves, 0));
}

namespace {

Value constantOf(const ValueBuilder &v, float x) {
  return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x));
}

Value usedTensorScale(const ValueBuilder &v, Value tensorScale) {
  Value least = nvvm::maxIgnoringNan(v, nvvm::absolute(v, tensorScale), constantOf(v, 0x1p-80f));
  return nvvm::minIgnoringNan(v, least, constantOf(v, 0x1p80f));
}

constexpr int64_t kInfBits = 0x7f800000, kMostBits = 0x7f7fffff;
constexpr float kMost = std::numeric_limits<float>::max();

class Encoder {
public:
  Encoder(const ValueBuilder &v, mx::EncodeScaleOp rule, Value maxima)
      : v_(v), rule_(rule), pair_(dyn_cast<VectorType>(maxima.getType())), maxima_(maxima) {}

  TwoLevelScales encode() {
    const bool hasInverse = rule_.getRounding() == mx::RoundingMode::Reciprocal;
    Value given = rule_.getTensorScale(),
          tensorScale = hasInverse ? reciprocalOf(given, rcp(given)) : usedTensorScale(v_, given);
    Value scaled = hasInverse ? product(given) : quotient(tensorScale);
    if (rule_.getToFour()) scaled = mul(scaled, constant(kFourOverSixFactor));
    if (rule_.getTiny() == mx::TinyMode::Clamp)
      scaled = LLVM::MaximumOp::create(v_.b, v_.loc, scaled, constant(kClampedScale));
    Value codes =
        nvvm::encodePair(v_, rule_.getScale(), part(scaled, 0), pair_ ? part(scaled, 1) : scalar(0));
    const bool isQuotient = rule_.getRounding() == mx::RoundingMode::Inverse;
    Value product = isQuotient ? decoded(codes) : mul(decoded(codes), both(tensorScale));
    // For a scale of 0 twice this, the largest finite f32: infinity would be NaN times 0.
    Value near = LLVM::MinimumOp::create(v_.b, v_.loc, rcp(product), constant(kMost / 2));
    Value multipliers = reciprocalOf(product, near);
    if (isQuotient) multipliers = inverseOver(product, multipliers, tensorScale);
    if (rule_.getSpecial() == mx::SpecialMode::NanScale) {
      Value isSpecial = v_.cmp(ValueBuilder::Predicate::uge, maxima_, constantBits(kInfBits));
      multipliers = v_.select(isSpecial, constant(0), multipliers);
    }
    return {codes, multipliers};
  }

private:
  Type floats() const {
    return pair_ ? Type(VectorType::get(2, v_.b.getF32Type())) : Type(v_.b.getF32Type());
  }
  Value scalar(float x) const { return constantOf(v_, x); }
  Value constant(float x) const { return both(scalar(x)); }
  Value constantBits(int64_t bits) const { return both(v_.i32(bits)); }
  Value both(Value one) const {
    if (!pair_) return one;
    return nvvm::fromElements(v_, VectorType::get(2, one.getType()), {one, one});
  }
  Value part(Value values, int index) const { return pair_ ? nvvm::element(v_, values, index) : values; }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(v_.b, v_.loc, x, y); }
  Value fma(Value x, Value y, Value z) const { return nvvm::multiplyAdd(v_, x, y, z); }
  Value oneLike(Value x) const { return isa<VectorType>(x.getType()) ? constant(1) : scalar(1); }

  Value rcp(Value x) const {
    if (!isa<VectorType>(x.getType())) return nvvm::approximateReciprocal(v_, x);
    Value low = nvvm::approximateReciprocal(v_, part(x, 0)),
          high = nvvm::approximateReciprocal(v_, part(x, 1));
    return nvvm::fromElements(v_, x.getType(), {low, high});
  }
  // 1 / x to nearest, of normal numbers, from one that is near.
  Value reciprocalOf(Value x, Value near) const { return reciprocalFrom(v_, x, near, oneLike(x)); }

  Value maximum() const {
    Value bits = maxima_;
    if (rule_.getSpecial() == mx::SpecialMode::Saturate) bits = v_.minu(bits, constantBits(kMostBits));
    return nvvm::bitcast(v_, floats(), bits);
  }
  double mostOfElement() const { return info(*mx::elementFormatOf(rule_.getElement())).maxFinite; }

  // A / 6 / T.
  Value quotient(Value tensorScale) const {
    Value reciprocal = reciprocalOf(tensorScale, rcp(tensorScale));
    Value scaled = perBlock();
    // Nothing overflows, and what is above 448 saturates.
    Value most = mul(tensorScale, scalar(512));
    scaled = LLVM::MinimumOp::create(v_.b, v_.loc, scaled, both(most));
    return quotientBy(v_, scaled, both(tensorScale), both(reciprocal));
  }

  // 1 / T / s, and of s = 0 what its reciprocal is.
  Value inverseOver(Value scale, Value reciprocal, Value tensorScale) const {
    Value inverse = both(reciprocalOf(tensorScale, rcp(tensorScale)));
    Value isZero = arith::CmpFOp::create(v_.b, v_.loc, arith::CmpFPredicate::OEQ, scale, constant(0));
    return v_.select(isZero, reciprocal, quotientBy(v_, inverse, scale, reciprocal));
  }

  // A times (1/T times 1/6), and NaN of infinity, which zero times it is.
  Value product(Value inverse) const {
    Value amax = maximum(), factor = mul(inverse, scalar(float(1 / mostOfElement())));
    return fma(amax, constant(0), mul(amax, both(factor)));
  }

  // A / 6 to nearest by 1/6 in two parts: of 24 bits, thirds of a last place are not near a half of one.
  // For infinity the parts' products are infinite, one negative: NaN.
  Value perBlock() const {
    Value amax = maximum();
    const double most = mostOfElement();
    const float upper = float(1 / most), lower = float(1 / most - double(upper));
    assert(upper > 0 && lower < 0);
    return fma(amax, constant(upper), mul(amax, constant(lower)));
  }

  Value decoded(Value codes) const {
    if (!pair_) return decodeUe4m3(v_, rule_.getScale(), codes);
    return arith::ExtFOp::create(v_.b, v_.loc, floats(), nvvm::decodePair(v_, rule_.getScale(), codes));
  }

  ValueBuilder v_;
  mutable mx::EncodeScaleOp rule_; // accessors of operations are not const
  VectorType pair_;                // null: one block
  Value maxima_;
};

} // namespace

Value reciprocalOfTensorScale(const ValueBuilder &v, Value tensorScale) {
  Value used = usedTensorScale(v, tensorScale);
  return reciprocalFrom(v, used, nvvm::approximateReciprocal(v, used), constantOf(v, 1));
}

// The quotient's least is so small, and its most so large, that nothing is left to round there.
TwoLevelScales rescaled(const ValueBuilder &v, Type scale, Value power, Value tensorScale) {
  auto within = [&](Value x, float least, float most) {
    Value raised = nvvm::maxIgnoringNan(v, x, constantOf(v, least));
    return nvvm::minIgnoringNan(v, raised, constantOf(v, most));
  };
  Value quotient = arith::MulFOp::create(v.b, v.loc, power, reciprocalOfTensorScale(v, tensorScale));
  Value ratio = within(quotient, 0x1p-100f, 0x1p100f);
  Value codes = nvvm::encodePair(v, scale, within(ratio, kLeastRescaled, kMostRescaled), constantOf(v, 0));
  Value value = decodeUe4m3(v, scale, codes);
  Value inverse = reciprocalFrom(v, value, nvvm::approximateReciprocal(v, value), constantOf(v, 1));
  return {codes, quotientBy(v, ratio, value, inverse)};
}

TwoLevelScales encodeTwoLevel(const ValueBuilder &v, mx::EncodeScaleOp rule, Value maxima) {
  return Encoder(v, rule, maxima).encode();
}

} // namespace mxc
