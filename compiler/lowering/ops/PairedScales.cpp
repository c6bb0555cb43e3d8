// Scales of two blocks of bf16 at once, whose maxima come as halves of one register. Where scales are powers
// of two, 16 bits are enough for what mx.encode_scale does with 32, since a bf16 is the upper half of an f32
// whose lower half is zero.
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/PackedPairs.h"
#include "compiler/lowering/ops/ScaleRounding.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/TwoLevelScales.h"
#include "dialect/MxOps.h"

#include <bit>

using namespace mlir;

namespace mxc {

namespace {

constexpr int64_t kInfinity = 0x7f80, kNan = 0x7fff, kSmallestMultiplier = 0x0040; // of bf16; 2^-127
constexpr int kMantissaBits = 7;
// Its lower half decides no byte: no rounding's boundary has this upper half.
constexpr int64_t kClamped = std::bit_cast<uint32_t>(kClampedMaximum) >> 16;

int64_t inBoth(int64_t half) { return half << 16 | half; }

class PairEncoder {
public:
  PairEncoder(const ValueBuilder &v, mx::EncodeScaleOp rule, Value maxima)
      : v_(v), rule_(rule), format_(info(*mx::elementFormatOf(rule.getElement()))), maxima_(maxima) {}

  // Bytes in the halves of an i32; bf16 multipliers in those of another. No sum or difference leaves its
  // half.
  std::pair<Value, Value> encode() {
    int64_t bias = roundingBias(format_, rule_.getRounding()) >> 16, lowest = int64_t(format_.emax)
                                                                              << kMantissaBits;
    const bool isClamped = rule_.getTiny() == mx::TinyMode::Clamp;
    Value maxima = isClamped ? larger(maxima_, inBoth(kClamped)) : maxima_;
    Value rounded = v_.bitAnd(v_.add(maxima, inBoth(bias)), inBoth(0xff80));
    Value aboveLowest = v_.sub(larger(rounded, inBoth(lowest)), v_.i32(inBoth(lowest)));
    if (rule_.getTiny() == mx::TinyMode::ByteOne) {
      Value one = v_.shl(smaller(maxima_, inBoth(1)), kMantissaBits); // of blocks that are not all zero
      aboveLowest =
          nvvm::bitcast(v_, v_.b.getI32Type(), nvvm::maxUnsigned(v_, halves(aboveLowest), halves(one)));
    }
    Value bytes = v_.shru(aboveLowest, kMantissaBits);
    Value multipliers = v_.sub(v_.i32(inBoth(254 << kMantissaBits)), aboveLowest); // 2^(127-byte)
    bool saturates = rule_.getSpecial() == mx::SpecialMode::Saturate;
    int64_t byte = info(*mx::scaleFormatOf(rule_.getScale())).nan - saturates;
    int64_t bits = rule_.getSpecial() == mx::SpecialMode::Propagate ? kNan
                   : saturates                                      ? kSmallestMultiplier
                                                                    : 0;
    return {whereSpecial(byte, bytes), whereSpecial(bits, multipliers)};
  }

private:
  Value halves(Value word) { return nvvm::bitcast(v_, VectorType::get(2, v_.b.getI16Type()), word); }
  Value larger(Value word, int64_t least) {
    return nvvm::bitcast(v_, v_.b.getI32Type(), nvvm::maxUnsigned(v_, halves(word), halves(v_.i32(least))));
  }
  Value smaller(Value word, int64_t most) {
    Value least = arith::MinUIOp::create(v_.b, v_.loc, halves(word), halves(v_.i32(most)));
    return nvvm::bitcast(v_, v_.b.getI32Type(), least);
  }

  // Halves whose maximum is infinite or NaN: the sign of what prmt copies over each byte.
  Value whereSpecial(int64_t half, Value otherwise) {
    if (!isSpecial_) {
      Value signs = v_.add(maxima_, inBoth(0x8000 - kInfinity));
      isSpecial_ = nvvm::permuteBytes(v_, signs, signs, v_.i32(0xbb99));
    }
    return v_.bitOr(v_.bitAnd(isSpecial_, inBoth(half)), v_.bitAnd(v_.bitXor(isSpecial_, -1), otherwise));
  }

  ValueBuilder v_;
  mx::EncodeScaleOp rule_;
  const ElementFormatInfo &format_;
  Value maxima_, isSpecial_;
};

// The scale of the other half under the same rule, in the same block; null: there is none.
mx::EncodeScaleOp partnerOf(mx::EncodeScaleOp op, Value maxima) {
  for (Operation *half : maxima.getUsers())
    for (Operation *user : half->getUsers()) {
      auto other = dyn_cast<mx::EncodeScaleOp>(user);
      if (!other || other == op || other->getBlock() != op->getBlock() || !op->isBeforeInBlock(other))
        continue;
      std::optional<Half> its = halfOf(other.getAmax());
      if (its && its->isUpper && other->getAttrDictionary() == op->getAttrDictionary() &&
          other.getTensorScale() == op.getTensorScale() && half->isBeforeInBlock(op))
        return other;
    }
  return {};
}

bool hasTwoLevels(mx::EncodeScaleOp op) {
  return info(*mx::scaleFormatOf(op.getScale())).rule == ScaleRule::TwoLevel;
}

void encodeTogether(mx::EncodeScaleOp low, mx::EncodeScaleOp high) {
  OpBuilder builder(low);
  ValueBuilder v{builder, low.getLoc()};
  auto replace = [](mx::EncodeScaleOp op, Value code, Value multiplier) {
    op.getCode().replaceAllUsesWith(code);
    op.getMultiplier().replaceAllUsesWith(multiplier);
  };
  if (hasTwoLevels(low)) {
    Value maxima =
        nvvm::fromElements(v, VectorType::get(2, builder.getI32Type()), {low.getAmax(), high.getAmax()});
    auto [codes, multipliers] = encodeTwoLevel(v, low, maxima);
    Value bytes = arith::ExtUIOp::create(builder, low.getLoc(), builder.getI32Type(), codes);
    replace(low, v.bitAnd(bytes, 0xff), nvvm::element(v, multipliers, 0));
    replace(high, v.shru(bytes, 8), nvvm::element(v, multipliers, 1));
  } else {
    auto [bytes, multipliers] = PairEncoder(v, low, halfOf(low.getAmax())->pair).encode();
    auto wide = [&](Value bits) { return nvvm::bitcast(v, builder.getF32Type(), bits); };
    replace(low, v.bitAnd(bytes, 0xffff), wide(v.shl(multipliers, 16)));
    replace(high, v.shru(bytes, 16), wide(v.bitAnd(multipliers, 0xffff0000)));
  }
  low.erase();
  high.erase();
}

} // namespace

void pairScales(Operation *root) {
  SmallVector<std::array<mx::EncodeScaleOp, 2>> pairs;
  root->walk([&](mx::EncodeScaleOp op) {
    std::optional<Half> half = halfOf(op.getAmax());
    if (!half || half->isUpper || !(hasPowerOfTwoScale(op) || hasTwoLevels(op))) return;
    if (op.getSpecial() == mx::SpecialMode::UnitScale) return; // zeros are special there, too
    if (mx::EncodeScaleOp partner = partnerOf(op, half->pair)) pairs.push_back({op, partner});
  });
  for (auto [low, high] : pairs)
    encodeTogether(low, high);
}

} // namespace mxc
