// Elements of 4 bits: eight codes a word. The cvt of one pair gives a byte; where the chip has none,
// arithmetic gives the same codes.
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"

#include <bit>

using namespace mlir;

namespace mxc::nvvm {

static constexpr int kCodesOfWord = 8, kPairsOfWord = kCodesOfWord / 2;

static int exponentBias(const ElementFormatInfo &format) { return (1 << (format.exponentBits - 1)) - 1; }

// The code of one element, rounded to nearest even by an addition whose last place is that of the format.
// With E the exponent of the magnitude, or the least normal one, the sum's bits count steps of 2^(E -
// mantissa bits), and codes count the same steps, 2^(mantissa bits) more for each exponent.
static Value encodeByArithmetic(const ValueBuilder &v, const ElementFormatInfo &format, Value value) {
  Type i32 = v.b.getI32Type(), f32 = v.b.getF32Type();
  auto constant = [&](float x) {
    return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(x)).getResult();
  };
  const int lost = 23 - format.mantissaBits, leastExponent = 128 - exponentBias(format); // biased as f32's
  Value magnitude = minIgnoringNan(v, absolute(v, value), constant(format.maxFinite));   // NaN, too
  Value atLeast = maxIgnoringNan(v, magnitude, constant(std::bit_cast<float>(leastExponent << 23)));
  Value exponent = v.bitAnd(bitcast(v, i32, atLeast), 0x7f800000);
  Value rounder = v.add(exponent, int64_t(lost) << 23);
  Value sum = arith::AddFOp::create(v.b, v.loc, magnitude, bitcast(v, f32, rounder));
  Value steps = v.sub(bitcast(v, i32, sum), rounder);
  Value before = v.sub(v.shru(exponent, lost), v.i32(leastExponent << format.mantissaBits));
  Value sign = v.shl(v.shru(bitcast(v, i32, value), 31), format.bits() - 1);
  return v.bitOr(v.add(steps, before), sign);
}

// One cvt a byte, of `from`, with so many operands each; the bytes are one register's parts.
static Value encodeByCvt(const ValueBuilder &v, Type element, StringRef from, ValueRange operands) {
  const std::string name = std::string(info(*mx::elementFormatOf(element)).name) + "x2";
  const int each = int(operands.size()) / kPairsOfWord;
  std::string text = "{.reg .b8 code<4>; ", word, constraints = "=r";
  for (int pair = 0; pair < kPairsOfWord; ++pair) {
    const std::string code = "code" + std::to_string(pair);
    word += (pair ? ", " : "") + code;
    text += "cvt.rn.satfinite." + name + "." + from.str() + " " + code;
    for (int i = each; i > 0; --i) // the upper one first
      text += ", $" + std::to_string(each * pair + i);
    text += "; ";
    for (int i = 0; i < each; ++i)
      constraints += from == "f32" ? ",f" : ",r";
  }
  text += "mov.b32 $0, {" + word + "};}";
  return pureAssembly(v, v.b.getI32Type(), text, constraints, operands);
}

Value encodePackedWord(const ValueBuilder &v, Type element, ValueRange pairs) {
  SmallVector<Value> words;
  for (Value pair : pairs)
    words.push_back(bitcast(v, v.b.getI32Type(), pair));
  words.resize(kPairsOfWord, v.i32(0)); // of a lane that has no more
  return encodeByCvt(v, element, "bf16x2", words);
}

Value encodeWord(const ValueBuilder &v, Type element, ValueRange values, ConversionForms forms) {
  if (forms.narrow) {
    SmallVector<Value> all(values);
    all.resize(kCodesOfWord, arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0)));
    return encodeByCvt(v, element, "f32", all);
  }
  const ElementFormatInfo &format = info(*mx::elementFormatOf(element));
  Value word;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value code = v.shl(encodeByArithmetic(v, format, value), int64_t(i) * format.bits());
    word = word ? v.bitOr(word, code) : code;
  }
  return word;
}

static SmallVector<Value> decodeByCvt(const ValueBuilder &v, Type element, Value word) {
  const std::string name = std::string(info(*mx::elementFormatOf(element)).name) + "x2";
  SmallVector<Value> pairs;
  Value bytes = bitcast(v, VectorType::get(kPairsOfWord, v.b.getI8Type()), word);
  for (int pair = 0; pair < kPairsOfWord; ++pair) {
    Value code = arith::ExtUIOp::create(v.b, v.loc, v.b.getI16Type(), nvvm::element(v, bytes, pair));
    std::string text = "{.reg .b8 code, none; mov.b16 {code, none}, $1; cvt.rn.f16x2." + name + " $0, code;}";
    Value halves = pureAssembly(v, v.b.getI32Type(), text, "=r,h", code);
    pairs.push_back(bitcast(v, VectorType::get(2, v.b.getF16Type()), halves));
  }
  return pairs;
}

// A code without its sign, shifted to where f16 has its mantissa, is its value times a power of two,
// subnormal or not.
static SmallVector<Value> decodeByArithmetic(const ValueBuilder &v, Type element, Value word) {
  const ElementFormatInfo &format = info(*mx::elementFormatOf(element));
  const int bits = format.bits(), shift = 10 - format.mantissaBits;
  auto inBoth = [](int64_t half) { return half << 16 | half; };
  Type pairType = VectorType::get(2, v.b.getF16Type());
  auto factor = v.b.getF16FloatAttr(float(1 << (15 - exponentBias(format))));
  Value scale =
      arith::ConstantOp::create(v.b, v.loc, DenseElementsAttr::get(cast<ShapedType>(pairType), factor));
  SmallVector<Value> pairs;
  for (int pair = 0; pair < kPairsOfWord; ++pair) {
    Value low = v.shru(word, int64_t(2 * pair) * bits); // the first code in the lower half
    Value both =
        v.bitOr(v.bitAnd(low, (1 << bits) - 1), v.bitAnd(v.shl(low, 16 - bits), ((1 << bits) - 1) << 16));
    Value sign = v.bitAnd(v.shl(both, 16 - bits), inBoth(0x8000));
    Value magnitude = v.shl(v.bitAnd(both, inBoth((1 << (bits - 1)) - 1)), shift);
    Value scaled = bitcast(v, pairType, v.bitOr(sign, magnitude));
    pairs.push_back(arith::MulFOp::create(v.b, v.loc, scaled, scale));
  }
  return pairs;
}

SmallVector<Value> decodeWord(const ValueBuilder &v, Type element, Value word, ConversionForms forms) {
  return forms.narrow ? decodeByCvt(v, element, word) : decodeByArithmetic(v, element, word);
}

} // namespace mxc::nvvm
