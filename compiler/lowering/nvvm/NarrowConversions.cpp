// Elements of 6 and 4 bits, eight or four codes at a time, which are whole bytes: a word, or three bytes.
// Where the chip has no cvt, arithmetic gives the same codes.
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/NarrowArithmetic.h"
#include "compiler/lowering/nvvm/SixBitWords.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"
#include "dialect/formats/RandomBits.h"

using namespace mlir;

namespace mxc::nvvm {

static const ElementFormatInfo &formatOf(Type element) { return info(*mx::elementFormatOf(element)); }
static std::string pairName(Type element) { return std::string(formatOf(element).name) + "x2"; }
static bool isSixBits(Type element) { return formatOf(element).bits() == 6; }
// Codes that are converted at a time.
static int codesOfRun(Type element) { return isSixBits(element) ? kSixBitRun : 8; }

// One cvt a pair, of `from`, with so many operands each. What it gives, a byte of 4-bit codes or two bytes
// with one of 6 bits each, is a part of the register.
static Value encodeByCvt(const ValueBuilder &v, Type element, StringRef from, ValueRange operands) {
  const int pairs = codesOfRun(element) / 2, each = int(operands.size()) / pairs;
  std::string text = std::string("{.reg .b") + (isSixBits(element) ? "16" : "8") + " code<" +
                     std::to_string(pairs) + ">; ",
              word, constraints = "=r";
  for (int pair = 0; pair < pairs; ++pair) {
    const std::string code = "code" + std::to_string(pair);
    word += (pair ? ", " : "") + code;
    text += "cvt.rn.satfinite." + pairName(element) + "." + from.str() + " " + code;
    for (int i = each; i > 0; --i) // the upper one first
      text += ", $" + std::to_string(each * pair + i);
    text += "; ";
    for (int i = 0; i < each; ++i)
      constraints += from == "f32" ? ",f" : ",r";
  }
  text += "mov.b32 $0, {" + word + "};}";
  return pureAssembly(v, v.b.getI32Type(), text, constraints, operands);
}

// Runs of operands, the last one filled up, to words.
static SmallVector<Value> encodeRuns(const ValueBuilder &v, Type element, ValueRange operands, int each,
                                     Value none, function_ref<Value(ArrayRef<Value>)> encode) {
  SmallVector<Value> all(operands), runs;
  all.resize((all.size() + each - 1) / each * each, none);
  for (ArrayRef<Value> rest = all; !rest.empty(); rest = rest.drop_front(each))
    runs.push_back(encode(rest.take_front(each)));
  if (!isSixBits(element)) return runs;
  const int64_t count = int64_t(operands.size()) * codesOfRun(element) / each;
  return wordsOfSixBits(v, runs, int(mx::wordsOf(element, count)));
}

SmallVector<Value> encodeWords(const ValueBuilder &v, Type element, ValueRange values,
                               ConversionForms forms) {
  Value none = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0));
  return encodeRuns(v, element, values, codesOfRun(element), none, [&](ArrayRef<Value> run) {
    return forms.narrow ? encodeByCvt(v, element, "f32", run) : encodeSixBits(v, formatOf(element), run);
  });
}

bool encodesFourBitsByArithmetic(Type element, ConversionForms forms) {
  return !forms.narrow && !isSixBits(element);
}

SmallVector<Value> encodeFourBits(const ValueBuilder &v, ValueRange values, ValueRange signs,
                                  Value multiplier, ValueRange random) {
  constexpr int kRun = 8;
  Value none = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0));
  SmallVector<Value> all(values), allSigns(signs), bits(random), words;
  const size_t filled = llvm::alignTo<kRun>(all.size());
  all.resize(filled, none), allSigns.resize(filled / 2, v.i32(0));
  if (!bits.empty()) bits.resize(filled / kRandomOfWord, v.i32(0));
  for (size_t i = 0; i < filled; i += kRun) {
    ArrayRef<Value> run = ArrayRef(all).slice(i, kRun), itsSigns = ArrayRef(allSigns).slice(i / 2, kRun / 2);
    words.push_back(bits.empty()
                        ? encodeFourBits(v, run, itsSigns, multiplier)
                        : encodeFourBits(v, run, itsSigns, multiplier,
                                         ArrayRef(bits).slice(i / kRandomOfWord, kRun / kRandomOfWord)));
  }
  return words;
}

SmallVector<Value> encodeStochastic(const ValueBuilder &v, ValueRange values, ValueRange random) {
  constexpr int kRun = 8;
  Value none = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0));
  SmallVector<Value> all(values), bits(random), words;
  all.resize(llvm::alignTo<kRun>(all.size()), none), bits.resize(all.size() / kRandomOfWord, v.i32(0));
  for (size_t i = 0; i < all.size(); i += kRun) {
    SmallVector<Value> operands(ArrayRef(all).slice(i, kRun));
    llvm::append_range(operands, ArrayRef(bits).slice(i / kRandomOfWord, kRun / kRandomOfWord));
    words.push_back(
        pureAssembly(v, v.b.getI32Type(),
                     "{.reg .b16 code<2>; cvt.rs.satfinite.e2m1x4.f32 code0, {$4, $3, $2, $1}, $9; "
                     "cvt.rs.satfinite.e2m1x4.f32 code1, {$8, $7, $6, $5}, $10; "
                     "mov.b32 $0, {code0, code1};}",
                     "=r,f,f,f,f,f,f,f,f,r,r", operands));
  }
  return words;
}

bool encodesPairs(Type element, ConversionForms forms) {
  return forms.packedBf16 || (!forms.narrow && !isSixBits(element));
}

SmallVector<Value> encodePackedWords(const ValueBuilder &v, Type element, ValueRange pairs,
                                     ConversionForms forms) {
  Value none = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(pairs[0].getType()));
  return encodeRuns(v, element, pairs, codesOfRun(element) / 2, none, [&](ArrayRef<Value> run) -> Value {
    if (!forms.packedBf16) return encodePackedFourBits(v, run);
    SmallVector<Value> words;
    for (Value pair : run)
      words.push_back(bitcast(v, v.b.getI32Type(), pair));
    return encodeByCvt(v, element, "bf16x2", words);
  });
}

static Value halvesOf(const ValueBuilder &v, Value word) {
  return bitcast(v, VectorType::get(2, v.b.getF16Type()), word);
}

static SmallVector<Value> decodeByCvt(const ValueBuilder &v, Type element, Value word) {
  SmallVector<Value> pairs;
  if (isSixBits(element)) {
    Value two = bitcast(v, VectorType::get(2, v.b.getI16Type()), bytesOfSixBits(v, word));
    for (int pair = 0; pair < kSixBitRun / 2; ++pair)
      pairs.push_back(
          halvesOf(v, pureAssembly(v, v.b.getI32Type(), "cvt.rn.f16x2." + pairName(element) + " $0, $1;",
                                   "=r,h", nvvm::element(v, two, pair))));
    return pairs;
  }
  constexpr int kPairsOfWord = 4;
  Value bytes = bitcast(v, VectorType::get(kPairsOfWord, v.b.getI8Type()), word);
  for (int pair = 0; pair < kPairsOfWord; ++pair) {
    Value code = arith::ExtUIOp::create(v.b, v.loc, v.b.getI16Type(), nvvm::element(v, bytes, pair));
    std::string text =
        "{.reg .b8 code, none; mov.b16 {code, none}, $1; cvt.rn.f16x2." + pairName(element) + " $0, code;}";
    pairs.push_back(halvesOf(v, pureAssembly(v, v.b.getI32Type(), text, "=r,h", code)));
  }
  return pairs;
}

// A code without its sign, shifted to where f16 has its mantissa, is its value times a power of two,
// subnormal or not.
static SmallVector<Value> decodeByArithmetic(const ValueBuilder &v, Type element, Value run) {
  const ElementFormatInfo &format = formatOf(element);
  const int bits = format.bits(), shift = 10 - format.mantissaBits;
  auto inBoth = [](int64_t half) { return half << 16 | half; };
  Type pairType = VectorType::get(2, v.b.getF16Type());
  auto factor = v.b.getF16FloatAttr(float(1 << (15 - format.exponentBias())));
  Value scale =
      arith::ConstantOp::create(v.b, v.loc, DenseElementsAttr::get(cast<ShapedType>(pairType), factor));
  SmallVector<Value> pairs;
  for (int pair = 0; pair < codesOfRun(element) / 2; ++pair) {
    Value low = v.shru(run, int64_t(2 * pair) * bits); // the first code in the lower half
    Value both =
        v.bitOr(v.bitAnd(low, (1 << bits) - 1), v.bitAnd(v.shl(low, 16 - bits), ((1 << bits) - 1) << 16));
    Value sign = v.bitAnd(v.shl(both, 16 - bits), inBoth(0x8000));
    Value magnitude = v.shl(v.bitAnd(both, inBoth((1 << (bits - 1)) - 1)), shift);
    Value scaled = halvesOf(v, v.bitOr(sign, magnitude));
    pairs.push_back(arith::MulFOp::create(v.b, v.loc, scaled, scale));
  }
  return pairs;
}

SmallVector<Value> decodeWords(const ValueBuilder &v, Type element, ValueRange words, ConversionForms forms) {
  SmallVector<Value> pairs;
  for (Value run : isSixBits(element) ? runsOfSixBits(v, words) : SmallVector<Value>(words))
    llvm::append_range(pairs,
                       forms.narrow ? decodeByCvt(v, element, run) : decodeByArithmetic(v, element, run));
  return pairs;
}

} // namespace mxc::nvvm
