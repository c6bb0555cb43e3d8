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
    Value tensorScale = usedTensorScale(v_, rule_.getTensorScale()),
          reciprocal = reciprocalOf(tensorScale, rcp(tensorScale));
    Value scaled = perBlock();
    // Nothing overflows, and what is above 448 saturates.
    Value most = mul(tensorScale, scalar(512));
    scaled = LLVM::MinimumOp::create(v_.b, v_.loc, scaled, both(most));
    scaled = quotientBy(v_, scaled, both(tensorScale), both(reciprocal));
    if (rule_.getToFour()) scaled = mul(scaled, constant(kFourOverSixFactor));
    Value codes =
        nvvm::encodePair(v_, rule_.getScale(), part(scaled, 0), pair_ ? part(scaled, 1) : scalar(0));
    Value product = mul(decoded(codes), both(tensorScale));
    // Of a scale of 0 twice this, the largest finite f32: infinity would be NaN times 0.
    Value near = LLVM::MinimumOp::create(v_.b, v_.loc, rcp(product), constant(kMost / 2));
    Value multipliers = reciprocalOf(product, near);
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

  // A / 6 to nearest by 1/6 in two parts: of 24 bits, thirds of a last place are not near a half of one.
  // Of infinity the parts' products are infinite, one negative: NaN.
  Value perBlock() const {
    Value bits = maxima_;
    if (rule_.getSpecial() == mx::SpecialMode::Saturate) bits = v_.minu(bits, constantBits(kMostBits));
    Value amax = nvvm::bitcast(v_, floats(), bits);
    const double most = info(*mx::elementFormatOf(rule_.getElement())).maxFinite;
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
