// Elements of 4 bits: eight codes a word. The cvt of one pair gives a byte; where the chip has none,
// arithmetic gives the same codes.
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/NarrowArithmetic.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc::nvvm {

static constexpr int kCodesOfWord = 8, kPairsOfWord = kCodesOfWord / 2;

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
  SmallVector<Value> all(values);
  all.resize(kCodesOfWord, arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0)));
  if (forms.narrow) return encodeByCvt(v, element, "f32", all);
  return encodeByArithmetic(v, info(*mx::elementFormatOf(element)), all);
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
  auto factor = v.b.getF16FloatAttr(float(1 << (15 - format.exponentBias())));
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
