#include "compiler/lowering/nvvm/NarrowArithmetic.h"
#include "compiler/lowering/nvvm/Vectors.h"

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

// The word of bytes that are codes of even and of odd elements plus `same`, and of bytes with their signs.
static Value wordOfBytes(const ValueBuilder &v, Value even, Value odd, uint32_t same, Value evenSigns,
                         Value oddSigns) {
  const uint32_t sames = same * 0x01010101;
  Value codes = v.sub(v.add(v.shl(odd, 4), even), v.i32(int32_t(sames + (sames << 4))));
  Value signs = v.bitOr(v.bitAnd(v.shru(evenSigns, 4), 0x08080808), v.bitAnd(oddSigns, 0x80808080));
  return v.bitOr(codes, signs);
}

// The codes of elements, rounded to nearest even by additions whose last place is that of the format.
// With E the exponent of the magnitude, or the least normal one, a sum's low bits count steps of 2^(E -
// mantissa bits), and codes count the same steps, 2^(mantissa bits) more for each exponent, as the sum's
// upper bits do. Both added, a byte is the code and what is the same in all of them.
Value encodeByArithmetic(const ValueBuilder &v, const ElementFormatInfo &format, ValueRange values) {
  Type i32 = v.b.getI32Type(), f32 = v.b.getF32Type();
  auto constant = [&](float x) {
    return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x)).getResult();
  };
  const int lost = 23 - format.mantissaBits, leastExponent = 128 - format.exponentBias(); // biased as f32's
  const bool areBytes = format.bits() == 6;
  SmallVector<Value> codes[2], signs[2]; // of even elements and of odd ones, or of all
  for (auto [i, value] : llvm::enumerate(values)) {
    const size_t list = areBytes ? 0 : i % 2;
    Value magnitude = minIgnoringNan(v, absolute(v, value), constant(format.maxFinite)); // NaN, too
    Value atLeast = maxIgnoringNan(v, magnitude, constant(std::bit_cast<float>(leastExponent << 23)));
    Value power = bitcast(v, f32, v.bitAnd(bitcast(v, i32, atLeast), 0x7f800000));
    Value sum = bitcast(v, i32, multiplyAdd(v, power, constant(float(1 << lost)), magnitude));
    codes[list].push_back(v.add(v.shru(sum, lost), sum));
    signs[list].push_back(bitcast(v, i32, value));
  }
  const uint32_t same = uint32_t(lost + leastExponent) << format.mantissaBits & 0xff;
  if (areBytes) {
    Value bytes = v.sub(bytesOf(v, codes[0], false), v.i32(int32_t(same * 0x01010101)));
    return v.bitOr(bytes, v.bitAnd(v.shru(bytesOf(v, signs[0], true), 2), 0x20202020));
  }
  return wordOfBytes(v, bytesOf(v, codes[0], false), bytesOf(v, codes[1], false), same,
                     bytesOf(v, signs[0], true), bytesOf(v, signs[1], true));
}

// The same of bf16 two a register, rounded by sums in bf16, whose last place is the elements' step below 2,
// below 4 and above: the code is the least of what they count, from the bits of the first power on.
Value encodePairsByArithmetic(const ValueBuilder &v, ArrayRef<Value> pairs) {
  Type i32 = v.b.getI32Type(), halves = VectorType::get(2, v.b.getI16Type());
  struct Sum {
    float power;
    int bits, before; // of bf16; the code where the sum counts nothing
  };
  constexpr Sum kSums[] = {{64, 0x4280, 0}, {128, 0x4300, 2}, {256, 0x4380, 4}};
  constexpr int kFirst = kSums[0].bits, kLargestCode = 7;
  auto inBoth = [&](int half) { return bitcast(v, halves, v.i32(half << 16 | half)); };
  auto type = cast<ShapedType>(pairs[0].getType());
  SmallVector<Value> codes, words;
  for (Value pair : pairs) {
    words.push_back(bitcast(v, i32, pair));
    Value magnitudes = bitcast(v, type, v.bitAnd(words.back(), 0x7fff7fff)), least;
    for (const Sum &sum : kSums) {
      llvm::APFloat power(sum.power);
      bool isInexact;
      power.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
      Value powers = arith::ConstantOp::create(v.b, v.loc, DenseElementsAttr::get(type, power));
      Value code = bitcast(v, halves, arith::AddFOp::create(v.b, v.loc, magnitudes, powers));
      if (least) code = v.add(code, inBoth((kFirst - sum.bits + sum.before) & 0xffff));
      least = least ? arith::MinUIOp::create(v.b, v.loc, code, least).getResult() : code;
    }
    least = arith::MinUIOp::create(v.b, v.loc, least, inBoth(kFirst + kLargestCode));
    codes.push_back(bitcast(v, i32, least));
  }
  // Bytes 0 and 2 of two registers, then of four those of the first halves and of the second; of signs 1, 3.
  auto parts = [&](ArrayRef<Value> of, int64_t bytes) {
    Value low = permuteBytes(v, of[0], of[1], v.i32(bytes)),
          high = permuteBytes(v, of[2], of[3], v.i32(bytes));
    return std::pair(permuteBytes(v, low, high, v.i32(0x5410)), permuteBytes(v, low, high, v.i32(0x7632)));
  };
  auto [even, odd] = parts(codes, 0x6240);
  auto [evenSigns, oddSigns] = parts(words, 0x7351);
  return wordOfBytes(v, even, odd, kFirst & 0xff, evenSigns, oddSigns);
}

} // namespace mxc::nvvm
