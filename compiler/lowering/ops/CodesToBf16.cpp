#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

struct CodesToBf16::Bits {
  int shift;          // of the code's lower 7 bits in a half whose upper byte repeats the sign
  int64_t kept;       // of a pair
  int bias;           // 127 minus the format's
  int64_t special;    // bits of a word of codes in which only NaN and infinity are all ones
  int64_t specialOne; // what carries into bit 7 where they are
};

const CodesToBf16::Bits &CodesToBf16::bitsOf(Type element) {
  static constexpr Bits kE4m3 = {4, 0x87f087f0, 120, 0x7f7f7f7f, 0x01010101},
                        kE5m2 = {5, 0x8fe08fe0, 112, 0x7c7c7c7c, 0x04040404};
  return *mx::elementFormatOf(element) == ElementFormat::E4M3 ? kE4m3 : kE5m2;
}

CodesToBf16::CodesToBf16(const ValueBuilder &v, Type element)
    : v_(v), element_(element), bits_(bitsOf(element)) {}

Value CodesToBf16::isSpecial(ArrayRef<Value> words, ArrayRef<Value> scales) const {
  Value carried = v_.i32(0);
  for (Value word : words)
    carried = v_.bitOr(carried, v_.add(v_.bitAnd(word, bits_.special), bits_.specialOne));
  Value special = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(carried, 0x80808080), v_.i32(0));
  for (Value scale : scales)
    special = v_.bitOr(special, v_.cmp(ValueBuilder::Predicate::ugt, scale, v_.i32(254 - bits_.bias)));
  return special;
}

Value CodesToBf16::factor(Value scale) const {
  Value exponent = v_.shl(v_.add(scale, bits_.bias), 7);
  return nvvm::bitcast(v_, VectorType::get(2, v_.b.getBF16Type()), v_.bitOr(exponent, v_.shl(exponent, 16)));
}

Value CodesToBf16::pair(Value word, int half, Value factor) const {
  // Two codes with their signs' bytes: prmt repeats the sign where the selector's bit 3 is set.
  Value spread = nvvm::permuteBytes(v_, word, v_.i32(0), v_.i32(half ? 0xB3A2 : 0x9180));
  Value moved = v_.bitAnd(v_.shl(spread, bits_.shift), bits_.kept);
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

SmallVector<Value> CodesToBf16::specialPairs(Value codes, Value scale) const {
  constexpr int kCodes = 16;
  Value bytes = nvvm::bitcast(v_, VectorType::get(kCodes, v_.b.getI8Type()), codes);
  Value decoded = mx::DecodeScaleOp::create(v_.b, v_.loc, v_.b.getF32Type(), scale);
  Value values = mx::ConvertUnpackOp::create(v_.b, v_.loc, VectorType::get(kCodes, v_.b.getBF16Type()), bytes,
                                             decoded, TypeAttr::get(element_));
  values = nvvm::bitcast(v_, VectorType::get(kCodes / 2, v_.b.getI32Type()), values);
  SmallVector<Value> result;
  for (int i = 0; i < kCodes / 2; ++i)
    result.push_back(nvvm::element(v_, values, i));
  return result;
}

} // namespace mxc
