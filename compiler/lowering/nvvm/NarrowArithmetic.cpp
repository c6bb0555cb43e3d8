#include "compiler/lowering/nvvm/NarrowArithmetic.h"
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/formats/RandomBits.h"

#include <bit>

using namespace mlir;

namespace mxc::nvvm {

// The low bytes, or the high ones, of four registers.
static Value bytesOf(const ValueBuilder &v, ArrayRef<Value> words, bool isHigh) {
  Value selector = v.i32(isHigh ? 0x0073 : 0x0040);
  Value low = permuteBytes(v, words[0], words[1], selector),
        high = permuteBytes(v, words[2], words[3], selector);
  return permuteBytes(v, low, high, v.i32(0x5410));
}

// The codes of elements, rounded to nearest even by additions whose last place is that of the format.
// With E the exponent of the magnitude, or the least normal one, a sum's low bits count steps of 2^(E -
// mantissa bits), and codes count the same steps, 2^(mantissa bits) more for each exponent, as the sum's
// upper bits do. Both added, a byte is the code and what is the same in all of them.
Value encodeSixBits(const ValueBuilder &v, const ElementFormatInfo &format, ValueRange values) {
  Type i32 = v.b.getI32Type(), f32 = v.b.getF32Type();
  auto constant = [&](float x) {
    return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x)).getResult();
  };
  const int lost = 23 - format.mantissaBits, leastExponent = 128 - format.exponentBias(); // biased as f32's
  SmallVector<Value> codes, signs;
  for (Value value : values) {
    Value magnitude = minIgnoringNan(v, absolute(v, value), constant(format.maxFinite)); // NaN, too
    Value atLeast = maxIgnoringNan(v, magnitude, constant(std::bit_cast<float>(leastExponent << 23)));
    Value power = bitcast(v, f32, v.bitAnd(bitcast(v, i32, atLeast), 0x7f800000));
    Value sum = bitcast(v, i32, multiplyAdd(v, power, constant(float(1 << lost)), magnitude));
    codes.push_back(v.add(v.shru(sum, lost), sum));
    signs.push_back(bitcast(v, i32, value));
  }
  const uint32_t same = uint32_t(lost + leastExponent) << format.mantissaBits & 0xff;
  Value bytes = v.sub(bytesOf(v, codes, false), v.i32(int32_t(same * 0x01010101)));
  return v.bitOr(bytes, v.bitAnd(v.shru(bytesOf(v, signs, true), 2), 0x20202020));
}

// A code of e2m1 counts steps of 1/2 below 2, of 1 below 4, and of 2 above: it is the least of what three
// roundings count, each from where its steps begin.
static constexpr float kSteps[] = {0.5, 1, 2};
static constexpr int kBefore[] = {0, 2, 4}, kLargestCode = 7;

static Value inBoth(const ValueBuilder &v, int half) {
  Value word = v.i32(int32_t(uint32_t(half & 0xffff) * 0x10001));
  return bitcast(v, VectorType::get(2, v.b.getI16Type()), word);
}

// The least count in each half, no more than `most`, and with what the first of `bases` is.
static Value leastCount(const ValueBuilder &v, ArrayRef<Value> counts, ArrayRef<int> bases, Value most) {
  Value least = most;
  for (int i : {2, 1, 0}) {
    const int offset = kBefore[i] - bases[i] + bases[0];
    Value count = offset ? v.add(counts[i], inBoth(v, offset)) : counts[i];
    least = arith::MinUIOp::create(v.b, v.loc, count, least);
  }
  return bitcast(v, v.b.getI32Type(), least);
}

// The word of four pairs: of the low bytes of halves, which are codes and what is the same in all of them,
// and of their highest bits, the signs. Two pairs become bytes 0 2 1 3, four even elements and odd ones.
static Value wordOfPairs(const ValueBuilder &v, ArrayRef<Value> codes, ArrayRef<Value> signs, uint8_t same) {
  Value bytes[2];
  for (int i : {0, 2}) {
    Value fourSigns = v.bitAnd(v.shru(permuteBytes(v, signs[i], signs[i + 1], v.i32(0x7351)), 4), 0x08080808);
    bytes[i / 2] = v.bitOr(permuteBytes(v, codes[i], codes[i + 1], v.i32(0x6240)), fourSigns);
  }
  Value even = permuteBytes(v, bytes[0], bytes[1], v.i32(0x5410)),
        odd = permuteBytes(v, bytes[0], bytes[1], v.i32(0x7632));
  const uint32_t sames = same * 0x01010101u;
  return v.add(v.add(even, v.shl(odd, 4)), -int64_t(int32_t(sames + (sames << 4))));
}

// The last place of floats doubles at 2^24, as the steps do at 2: with 2^24 less four of them, twice the
// value counts the first two roundings' steps up to 4 in the sum's bits, and the value on top of 2^24 the
// last one's. Both are rounded once, to nearest even. NaN's bits are above the largest code's.
static Value roundToFourBits(const ValueBuilder &v, Value value, Value multiplier) {
  return pureAssembly(v, v.b.getI32Type(),
                      "{.reg .f32 x, sum; .reg .b32 low, high; abs.f32 x, $1; mul.rn.f32 x, x, $2; "
                      "fma.rn.f32 sum, x, 0f40000000, 0f4B7FFFFC; mov.b32 low, sum; "
                      "add.rn.f32 sum, x, 0f4B800000; mov.b32 high, sum; "
                      "min.u32 low, low, high; min.u32 $0, low, 0x4B800003;}",
                      "=r,f,f", {value, multiplier});
}

// With v the product, half of it less 0, 1 and 2, each saturated to [0, 1], counts 4, 2 and 1 steps: sums
// toward zero on top of `start`, whose last place is a 256th of a step: 2^15 and random bits. The second byte
// is the code.
static Value addToFourBits(const ValueBuilder &v, Value value, Value half, Value start) {
  return pureAssembly(v, v.b.getI32Type(),
                      "{.reg .f32 x, u, part, sum; abs.f32 x, $1; mul.rn.f32 u, x, $2; mov.b32 sum, $3; "
                      "mul.rn.sat.f32 part, x, $2; fma.rz.f32 sum, part, 0f40800000, sum; "
                      "add.rn.sat.f32 part, u, 0fBF800000; fma.rz.f32 sum, part, 0f40000000, sum; "
                      "add.rn.sat.f32 part, u, 0fC0000000; add.rz.f32 sum, sum, part; mov.b32 $0, sum;}",
                      "=r,f,f,r", {value, half, start});
}

// Half of the multiplier; 1/2 where there is none.
static Value halfOf(const ValueBuilder &v, Value multiplier) {
  Value half = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0.5f));
  return multiplier ? arith::MulFOp::create(v.b, v.loc, multiplier, half) : half;
}

static Value isNan(const ValueBuilder &v, Value multiplier) {
  return arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::UNO, multiplier, multiplier);
}

// The signs of eight elements in the highest bits of fours, from those of pairs in bits 15 and 31; and what
// else these bytes hold.
static Value signsOfRun(const ValueBuilder &v, ArrayRef<Value> signs) {
  // The signs' bytes: those of even elements, and of odd ones.
  Value first = permuteBytes(v, signs[0], signs[1], v.i32(0x7351)),
        second = permuteBytes(v, signs[2], signs[3], v.i32(0x7351));
  Value even = permuteBytes(v, first, second, v.i32(0x5410)),
        odd = permuteBytes(v, first, second, v.i32(0x7632));
  // As lop3, of which ptxas would make two: (a & c) | (b & ~c)
  return pureAssembly(v, v.b.getI32Type(), "lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xE4;", "=r,r,r",
                      {v.shru(even, 4), odd});
}

// Likewise: (a & b) | c
static Value joinSigns(const ValueBuilder &v, Value signs, Value signBits, Value codes) {
  return pureAssembly(v, v.b.getI32Type(), "lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,r,r",
                      {signs, signBits, codes});
}

constexpr uint32_t kLargestCodes = kLargestCode * 0x11111111u, kSignBits = 0x88888888;
static Value bitsOf(const ValueBuilder &v, uint32_t bits) { return v.i32(int32_t(bits)); }

Value encodeFourBits(const ValueBuilder &v, ValueRange values, ArrayRef<Value> signs, Value multiplier) {
  constexpr uint32_t kSum = 0x4B7FFFFC; // 2^24 - 4
  uint32_t sums = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sums = (sums << 4) + kSum;
  Value same = bitsOf(v, sums), signBits = bitsOf(v, kSignBits);
  if (multiplier) signBits = v.select(isNan(v, multiplier), v.i32(0), signBits); // NaN: the largest code
  Value one = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(1)), codes;
  for (Value value : llvm::reverse(values)) {
    Value code = roundToFourBits(v, value, multiplier ? multiplier : one);
    codes = codes ? v.add(v.shl(codes, 4), code) : code;
  }
  Value both = signsOfRun(v, signs);
  return joinSigns(v, both, signBits, v.sub(codes, same));
}

Value encodeFourBits(const ValueBuilder &v, ValueRange values, ArrayRef<Value> signs, Value multiplier,
                     ArrayRef<Value> random) {
  constexpr uint32_t kStart = 0x47000000; // 2^15
  Value half = halfOf(v, multiplier), start = bitsOf(v, kStart);
  SmallVector<Value> sums;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value byte = v.i32(0x7440 | kRandomBytes[i % kRandomOfWord]); // in the place of the start's first
    sums.push_back(addToFourBits(v, value, half, permuteBytes(v, random[i / kRandomOfWord], start, byte)));
  }
  auto codesFrom = [&](int first) { // of every second element, a byte each
    Value low = permuteBytes(v, sums[first], sums[first + 2], v.i32(0x0051)),
          high = permuteBytes(v, sums[first + 4], sums[first + 6], v.i32(0x0051));
    return permuteBytes(v, low, high, v.i32(0x5410));
  };
  Value codes = v.add(v.shl(codesFrom(1), 4), codesFrom(0));
  Value word = joinSigns(v, signsOfRun(v, signs), bitsOf(v, kSignBits), codes);
  return multiplier ? v.select(isNan(v, multiplier), bitsOf(v, kLargestCodes), word) : word;
}

// Sums in bf16 round: the last place of the smallest numbers that have each step is that step.
Value encodePackedFourBits(const ValueBuilder &v, ArrayRef<Value> pairs) {
  Type i32 = v.b.getI32Type(), halves = VectorType::get(2, v.b.getI16Type());
  auto type = cast<ShapedType>(pairs[0].getType());
  SmallVector<Value> powers;
  SmallVector<int> bases;
  for (float step : kSteps) {
    llvm::APFloat power(step * 128); // 8 bits
    bool isInexact;
    power.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    powers.push_back(arith::ConstantOp::create(v.b, v.loc, DenseElementsAttr::get(type, power)));
    bases.push_back(int(power.bitcastToAPInt().getZExtValue()));
  }
  SmallVector<Value> codes, signs;
  for (Value pair : pairs) {
    signs.push_back(bitcast(v, i32, pair));
    Value magnitudes = bitcast(v, type, v.bitAnd(signs.back(), 0x7fff7fff));
    SmallVector<Value> counts;
    for (Value power : powers)
      counts.push_back(bitcast(v, halves, arith::AddFOp::create(v.b, v.loc, magnitudes, power)));
    codes.push_back(leastCount(v, counts, bases, inBoth(v, bases[0] + kLargestCode)));
  }
  return wordOfPairs(v, codes, signs, uint8_t(bases[0]));
}

} // namespace mxc::nvvm
