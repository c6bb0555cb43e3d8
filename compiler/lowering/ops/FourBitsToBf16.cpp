#include "compiler/lowering/ops/FourBitsToBf16.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static int64_t inBothHalves(int64_t half) { return half << 16 | half; }

constexpr int kMantissaBits = 7, kBias = 127; // of bf16
constexpr int kElementBias = 1, kScaleBias = 7, kScaleMantissaBits = 3;
constexpr int64_t kNan = 0x7FC0, kSmallestPower = 0x0040; // 2^-127, a subnormal
constexpr int64_t kByteOfNan = 0x7F;                      // of ue4m3

static VectorType pairType(const ValueBuilder &v) { return VectorType::get(2, v.b.getBF16Type()); }

Value FourBitsToBf16::one() const {
  return v_.i32(hasShortBlocks_ ? kScaleBias << kScaleMantissaBits : kBias);
}

Value FourBitsToBf16::times(Value pair, Value factor) const {
  Value product = arith::MulFOp::create(v_.b, v_.loc, nvvm::bitcast(v_, pairType(v_), pair), factor);
  return nvvm::bitcast(v_, v_.b.getI32Type(), product);
}

Value FourBitsToBf16::timesPower(Value pair, int exponent) const {
  Value power = v_.i32(inBothHalves(int64_t(kBias + exponent) << kMantissaBits));
  return times(pair, nvvm::bitcast(v_, pairType(v_), power));
}

Value FourBitsToBf16::factor(Value scale) const {
  Value factors;
  if (hasShortBlocks_) { // as codes: bits in their places, and a power; bit 7 is no part of it
    Value code = v_.bitAnd(scale, kByteOfNan);
    Value moved = v_.mul(code, inBothHalves(1 << (kMantissaBits - kScaleMantissaBits)));
    factors = v_.select(v_.equal(code, v_.i32(kByteOfNan)), v_.i32(inBothHalves(kNan)),
                        timesPower(moved, kBias - kScaleBias));
  } else { // an exponent; 0 and 255 differ in one bit from what it says, a half of 2^-126 and NaN
    Value isEnd = v_.less(v_.bitAnd(v_.add(scale, v_.i32(1)), 0xFF), v_.i32(2));
    Value moved = v_.mul(scale, inBothHalves(1 << kMantissaBits));
    factors = v_.bitOr(moved, v_.select(isEnd, v_.i32(inBothHalves(kSmallestPower)), v_.i32(0)));
  }
  return nvvm::bitcast(v_, pairType(v_), factors);
}

SmallVector<Value> FourBitsToBf16::pairs(Value word, Value factor) const {
  // Upper halves of bytes have the odd codes; those of the word moved by four bits the even ones. prmt
  // repeats a sign where the selector's bit 3 is set: two bytes a code, signs and code.
  Value even = v_.shl(word, 4);
  const int64_t kept = inBothHalves(0x8000 | 7 << (kMantissaBits - 1));
  SmallVector<Value> result;
  for (int byte = 0; byte < 4; ++byte) {
    Value spread = nvvm::permuteBytes(v_, word, even, v_.i32(0x80C4 + 0x1111 * byte));
    Value moved = v_.bitAnd(v_.shl(spread, kMantissaBits - 1 - 4), kept);
    result.push_back(times(timesPower(moved, kBias - kElementBias), factor));
  }
  return result;
}

} // namespace mxc
