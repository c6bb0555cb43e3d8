// mx.encode_scale and mx.decode_scale: the rules of docs/semantics/scales.md, the same on every chip.
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/Quotients.h"
#include "compiler/lowering/ops/ScaleRounding.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/TwoLevelScales.h"
#include "dialect/MxOps.h"

#include <bit>
#include <limits>

using namespace mlir;

namespace mxc {

namespace {

constexpr int64_t kInfBits = 0x7f800000, kNanBits = 0x7fffffff, kMostBits = 0x7f7fffff;
constexpr int64_t kSmallestPower = 0x00400000, kOneBits = 0x3f800000; // 2^-127, a subnormal; 1
constexpr int64_t kSignificandBits = 0x007fffff;
constexpr int64_t kClampedBits = std::bit_cast<uint32_t>(kClampedMaximum);
constexpr int64_t kLargestByte = 254, kByteOfOne = 127; // of ue8m0

struct LowerEncodeScale : OpRewritePattern<mx::EncodeScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::EncodeScaleOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    const ScaleRule rule = info(*mx::scaleFormatOf(op.getScale())).rule;
    rewriter.replaceOp(op, rule == ScaleRule::PowerOfTwo ? powerOfTwo(v, op)
                           : rule == ScaleRule::TwoLevel ? twoLevel(v, op)
                                                         : ofF32(v, op));
    return success();
  }

private:
  // The maximum, raised where the rule says so.
  static Value atLeastClamped(const ValueBuilder &v, mx::EncodeScaleOp op) {
    if (op.getTiny() != mx::TinyMode::Clamp) return op.getAmax();
    return nvvm::maxUnsigned(v, op.getAmax(), v.i32(kClampedBits));
  }

  static Value isAtLeast(const ValueBuilder &v, Value bits, int64_t least) {
    return v.cmp(ValueBuilder::Predicate::uge, bits, v.i32(least));
  }

  // Or NaN: zero wraps to the largest.
  static Value isZeroOrInfinite(const ValueBuilder &v, Value bits) {
    return isAtLeast(v, v.sub(bits, v.i32(1)), kInfBits - 1);
  }

  static Value exponentByte(const ValueBuilder &v, mx::EncodeScaleOp op, Value amax) {
    const ElementFormatInfo &format = info(*mx::elementFormatOf(op.getElement()));
    Value exponent = v.shru(v.add(amax, roundingBias(format, op.getRounding())), 23);
    return arith::MaxSIOp::create(v.b, v.loc, v.sub(exponent, v.i32(format.emax)), v.i32(0));
  }

  // The bits of 2^(127-byte), but for byte 254.
  static Value multiplierOf(const ValueBuilder &v, Value byte) {
    return v.shl(v.sub(v.i32(kLargestByte), byte), 23);
  }

  static SmallVector<Value> powerOfTwo(const ValueBuilder &v, mx::EncodeScaleOp op) {
    const ElementFormatInfo &format = info(*mx::elementFormatOf(op.getElement()));
    const int64_t nan = info(*mx::scaleFormatOf(op.getScale())).nan;
    Value amax = atLeastClamped(v, op), byte = exponentByte(v, op, amax);
    if (op.getTiny() == mx::TinyMode::ByteOne) byte = atLeastOne(v, format, amax, byte);
    Value multiplier = multiplierOf(v, byte);
    const bool isUnit =
        op.getSpecial() == mx::SpecialMode::UnitScale; // of zeros, too: they wrap to the largest
    Value isSpecial = isUnit ? isZeroOrInfinite(v, op.getAmax()) : isAtLeast(v, amax, kInfBits);
    const int64_t specialByte = isUnit                                         ? kByteOfOne
                                : op.getSpecial() == mx::SpecialMode::Saturate ? kLargestByte
                                                                               : nan;
    byte = v.select(isSpecial, v.i32(specialByte), byte);
    multiplier = v.select(isSpecial, v.i32(specialMultiplier(op)), multiplier);
    return {byte, nvvm::bitcast(v, v.b.getF32Type(), multiplier)};
  }

  // The bits of the multiplier of a block whose maximum is special.
  static int64_t specialMultiplier(mx::EncodeScaleOp op) {
    switch (op.getSpecial()) {
    case mx::SpecialMode::Propagate:
      return kNanBits;
    case mx::SpecialMode::Saturate: // of byte 254
      return kSmallestPower;
    case mx::SpecialMode::UnitScale:
      return kOneBits;
    default:
      return 0;
    }
  }

  // Scales of f32: what the rounding makes of a maximum within what it is for, then the special blocks.
  static SmallVector<Value> ofF32(const ValueBuilder &v, mx::EncodeScaleOp op) {
    const bool isPower = op.getRounding() < mx::RoundingMode::Nearest;
    auto [code, multiplier] = isPower ? powerInF32(v, op) : quotient(v, op);
    auto where = [&](Value isSpecial, int64_t codeBits, int64_t multiplierBits) {
      code = v.select(isSpecial, v.i32(codeBits), code);
      multiplier = v.select(isSpecial, v.i32(multiplierBits), multiplier);
    };
    const int64_t nan = info(*mx::scaleFormatOf(op.getScale())).nan;
    switch (op.getSpecial()) {
    case mx::SpecialMode::Propagate:
    case mx::SpecialMode::NanScale:
      where(isAtLeast(v, op.getAmax(), kInfBits), nan, specialMultiplier(op));
      break;
    case mx::SpecialMode::Saturate: // the quotients are those of the largest finite value
      if (isPower) where(isAtLeast(v, op.getAmax(), kInfBits), kLargestByte << 23, specialMultiplier(op));
      break;
    case mx::SpecialMode::Ieee:
      where(isAtLeast(v, op.getAmax(), kInfBits + 1), nan, kNanBits);
      break;
    case mx::SpecialMode::UnitScale:
      where(isZeroOrInfinite(v, op.getAmax()), kOneBits, specialMultiplier(op));
      break;
    }
    return {code, nvvm::bitcast(v, v.b.getF32Type(), multiplier)};
  }

  // Bits of the scale and of the multiplier.
  static std::pair<Value, Value> powerInF32(const ValueBuilder &v, mx::EncodeScaleOp op) {
    Value byte = exponentByte(v, op, atLeastClamped(v, op));
    Value code = v.select(v.equal(byte, v.i32(0)), v.i32(kSmallestPower), v.shl(byte, 23));
    return {code, multiplierOf(v, byte)};
  }

  // Two divisions, of a maximum within what neither of them leaves the normal numbers for.
  static std::pair<Value, Value> quotient(const ValueBuilder &v, mx::EncodeScaleOp op) {
    const float maxFinite = info(*mx::elementFormatOf(op.getElement())).maxFinite;
    const bool isInverse = op.getRounding() == mx::RoundingMode::Inverse,
               isClamped = op.getTiny() == mx::TinyMode::Clamp;
    const int64_t least =
        isClamped ? kClampedBits : std::bit_cast<uint32_t>(maxFinite * std::numeric_limits<float>::min());
    Type i32 = v.b.getI32Type(), f32 = v.b.getF32Type();
    Value bits = op.getAmax();
    if (!isInverse || isClamped) bits = nvvm::maxUnsigned(v, bits, v.i32(least));
    if (op.getSpecial() != mx::SpecialMode::Ieee) bits = v.minu(bits, v.i32(kMostBits));
    Value amax = nvvm::bitcast(v, f32, bits);
    auto constant = [&](float x) {
      return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x)).getResult();
    };
    auto divide = [&](Value x, Value y) {
      return nvvm::bitcast(v, i32, arith::DivFOp::create(v.b, v.loc, x, y));
    };
    Value most = constant(maxFinite);
    if (isInverse) {
      Value multiplier = v.minu(divide(most, amax), v.i32(kMostBits)); // NaN is its block's, and set then
      return {divide(constant(1), nvvm::bitcast(v, f32, multiplier)), multiplier};
    }
    if (op.getRounding() == mx::RoundingMode::Nearest && op.getSpecial() != mx::SpecialMode::Ieee)
      return quotientsByMultiplyAdds(v, amax, maxFinite);
    Value code = divide(amax, most);
    if (op.getRounding() == mx::RoundingMode::Nearest) return {code, divide(most, amax)};
    return {code, divide(constant(1), nvvm::bitcast(v, f32, code))};
  }

  // Bits of amax / F and of F / amax, as IEEE 754 rounds them (tests/unit/formats/QuotientScaleTest.cpp): a
  // quotient and its remainder by a reciprocal. Both quotients are normal numbers, and the second one is
  // taken of the significand alone, so that no reciprocal leaves them either: a third of a division's
  // instructions.
  static std::pair<Value, Value> quotientsByMultiplyAdds(const ValueBuilder &v, Value amax, float maxFinite) {
    Type i32 = v.b.getI32Type(), f32 = v.b.getF32Type();
    auto constant = [&](float x) {
      return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x)).getResult();
    };
    auto divide = [&](Value x, Value y, Value reciprocalOfY) {
      return nvvm::bitcast(v, i32, quotientBy(v, x, y, reciprocalOfY));
    };
    Value most = constant(maxFinite), bits = nvvm::bitcast(v, i32, amax);
    Value code = divide(amax, most, constant(1 / maxFinite));
    Value significand = nvvm::bitcast(v, f32, v.bitOr(v.bitAnd(bits, kSignificandBits), v.i32(kOneBits)));
    Value near = nvvm::approximateReciprocal(v, significand);
    Value multiplier = divide(most, significand, reciprocalFrom(v, significand, near, constant(1)));
    Value exponent = v.sub(v.bitAnd(bits, kInfBits), v.i32(kOneBits));
    return {code, v.sub(multiplier, exponent)};
  }

  static SmallVector<Value> twoLevel(const ValueBuilder &v, mx::EncodeScaleOp op) {
    auto [codes, multiplier] = encodeTwoLevel(v, op, op.getAmax());
    return {arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), codes), multiplier};
  }

  // A block whose maximum over max_finite does not round to zero in f32 has byte 1 or more.
  static Value atLeastOne(const ValueBuilder &v, const ElementFormatInfo &format, Value amax, Value byte) {
    // A / max > 2^-150, the tie rounding to zero: bits of the subnormal max * 2^-150 = (max/2) * 2^-149.
    int64_t threshold = static_cast<int64_t>(format.maxFinite / 2);
    Value raised = arith::MaxSIOp::create(v.b, v.loc, byte, v.i32(1));
    return v.select(v.cmp(ValueBuilder::Predicate::ugt, amax, v.i32(threshold)), raised, v.i32(0));
  }
};

struct LowerDecodeScale : OpRewritePattern<mx::DecodeScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::DecodeScaleOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    const ScaleFormatInfo &scale = info(*mx::scaleFormatOf(op.getScale()));
    Value code = op.getCode(), bits = code;  // of f32
    if (scale.rule == ScaleRule::TwoLevel) { // there is no sign
      Value low = arith::TruncIOp::create(rewriter, op.getLoc(), rewriter.getI16Type(), v.bitAnd(code, 0x7f));
      rewriter.replaceOp(op, decodeUe4m3(v, op.getScale(), low));
      return success();
    }
    if (scale.rule == ScaleRule::PowerOfTwo) {
      bits = v.shl(code, 23);
      bits = v.select(v.equal(code, v.i32(0)), v.i32(kSmallestPower), bits);
      bits = v.select(v.equal(code, v.i32(scale.nan)), v.i32(kNanBits), bits);
    }
    rewriter.replaceOp(op, nvvm::bitcast(v, rewriter.getF32Type(), bits));
    return success();
  }
};

} // namespace

void populateScaleCodePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerEncodeScale, LowerDecodeScale>(patterns.getContext());
}

} // namespace mxc
