#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

static int64_t inBothHalves(int64_t half) { return half << 16 | half; }
static int64_t inAllBytes(int64_t byte) { return inBothHalves(byte << 8 | byte); }

constexpr int kMantissaBits = 7, kBias = 127; // of bf16

CodesToBf16::CodesToBf16(const ValueBuilder &v, Type element) : v_(v), element_(element) {
  const ElementFormatInfo &format = info(*mx::elementFormatOf(element));
  const int64_t magnitude = (int64_t(1) << (format.bits() - 1)) - 1;
  shift_ = kMantissaBits - format.mantissaBits;
  kept_ = inBothHalves(0x8000 | magnitude << shift_);
  bias_ = kBias - ((1 << (format.exponentBits - 1)) - 1);
  specialOne_ = format.nan == NanEncoding::AllOnes ? 1 : int64_t(1) << format.mantissaBits;
  special_ = magnitude & -specialOne_;
}

Value CodesToBf16::isSpecial(ArrayRef<Value> words, ArrayRef<Value> scales) const {
  Value carried = v_.i32(0);
  for (Value word : words)
    carried = v_.bitOr(carried, v_.add(v_.bitAnd(word, inAllBytes(special_)), inAllBytes(specialOne_)));
  Value special = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(carried, 0x80808080), v_.i32(0));
  for (Value scale : scales)
    special = v_.bitOr(special, v_.cmp(ValueBuilder::Predicate::ugt, scale, v_.i32(254 - bias_)));
  return special;
}

// Bytes above a limit of at least 128: bit 7 is set, and the bits below carry.
Value CodesToBf16::isSpecial(Value fourScales) const {
  const int64_t carries = inAllBytes(0x80 - (255 - bias_ - 0x80));
  Value carried = v_.add(v_.bitAnd(fourScales, 0x7F7F7F7F), carries);
  return v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(v_.bitAnd(carried, fourScales), 0x80808080),
                v_.i32(0));
}

// One multiply-add puts the exponent in both halves.
Value CodesToBf16::factor(Value scale) const {
  const int64_t exponents = inBothHalves(1 << kMantissaBits);
  Value factors = v_.add(v_.mul(scale, exponents), bias_ * exponents);
  return nvvm::bitcast(v_, VectorType::get(2, v_.b.getBF16Type()), factors);
}

Value CodesToBf16::pair(Value word, int half, Value factor) const {
  // Two codes with their signs' bytes: prmt repeats the sign where the selector's bit 3 is set.
  Value spread = nvvm::permuteBytes(v_, word, v_.i32(0), v_.i32(half ? 0xB3A2 : 0x9180));
  Value moved = v_.bitAnd(v_.shl(spread, shift_), kept_);
  Value product = arith::MulFOp::create(v_.b, v_.loc, nvvm::bitcast(v_, factor.getType(), moved), factor);
  return nvvm::bitcast(v_, v_.b.getI32Type(), product);
}

SmallVector<Value> CodesToBf16::pairs(ArrayRef<Value> words, Value scale) const {
  Value multiplier = factor(scale);
  SmallVector<Value> result;
  for (Value word : words)
    for (int half = 0; half < 2; ++half)
      result.push_back(pair(word, half, multiplier));
  return result;
}

SmallVector<Value> CodesToBf16::specialPairs(Value codes, Value scale, Type scaleType) const {
  auto vector = cast<VectorType>(codes.getType());
  const int count =
      vector.getNumElements() * vector.getElementTypeBitWidth() / element_.getIntOrFloatBitWidth();
  Value words = nvvm::bitcast(v_, VectorType::get(mx::wordsOf(element_, count), v_.b.getI32Type()), codes);
  if (!scaleType) scaleType = Float8E8M0FNUType::get(v_.b.getContext());
  Value decoded = mx::DecodeScaleOp::create(v_.b, v_.loc, v_.b.getF32Type(), scale, scaleType);
  Value values = mx::ConvertUnpackOp::create(v_.b, v_.loc, VectorType::get(count, v_.b.getBF16Type()), words,
                                             decoded, /*tensor_scale=*/Value(), TypeAttr::get(element_));
  values = nvvm::bitcast(v_, VectorType::get(count / 2, v_.b.getI32Type()), values);
  SmallVector<Value> result;
  for (int i = 0; i < count / 2; ++i)
    result.push_back(nvvm::element(v_, values, i));
  return result;
}

} // namespace mxc
