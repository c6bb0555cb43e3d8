#include "compiler/lowering/ops/PairMagnitudes.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

Value reduceTree(ArrayRef<Value> values, llvm::function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> level(values);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2) next.push_back(level.back());
    level = next;
  }
  return level.front();
}

static Value largestOfPacked(const ValueBuilder &v, ArrayRef<Value> words, Type floats, bool propagates) {
  SmallVector<Value> pairs;
  for (Value word : words)
    pairs.push_back(nvvm::bitcast(v, floats, word));
  if (!propagates) // all NaN: as zeros
    pairs.push_back(arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(floats)));
  Value largest =
      reduceTree(pairs, [&](Value x, Value y) { return nvvm::maxMagnitude(v, x, y, propagates); });
  Value magnitude = v.bitAnd(nvvm::bitcast(v, v.b.getI32Type(), largest), 0x7fff7fff);
  return nvvm::bitcast(v, VectorType::get(2, v.b.getI16Type()), magnitude);
}

Value largestPair(const ValueBuilder &v, ArrayRef<Value> words, Type element, mx::SpecialMode special,
                  bool isPacked) {
  bool propagates = countsNan(Special(special));
  Type integers = VectorType::get(2, v.b.getI16Type()), floats = VectorType::get(2, element);
  if (isPacked && element.isBF16()) return largestOfPacked(v, words, floats, propagates);
  SmallVector<Value> magnitudes;
  for (Value word : words)
    magnitudes.push_back(nvvm::bitcast(v, propagates ? integers : floats, v.bitAnd(word, 0x7fff7fff)));
  if (propagates) return reduceTree(magnitudes, [&](Value x, Value y) { return nvvm::maxUnsigned(v, x, y); });
  Value amax = reduceTree(magnitudes, [&](Value x, Value y) { return nvvm::maxIgnoringNan(v, x, y); });
  Value zeros = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(floats));
  return nvvm::bitcast(v, integers, nvvm::maxIgnoringNan(v, amax, zeros)); // all NaN: as zeros
}

Value wideBits(const ValueBuilder &v, Value pair, Type element, bool upper) {
  if (element.isBF16()) return upper ? v.bitAnd(pair, 0xffff0000) : v.shl(pair, 16);
  Value half = arith::TruncIOp::create(v.b, v.loc, v.b.getI16Type(), upper ? v.shru(pair, 16) : pair);
  Value value = arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), nvvm::bitcast(v, element, half));
  return nvvm::bitcast(v, v.b.getI32Type(), value);
}

Value largestBits(const ValueBuilder &v, ArrayRef<Value> values, mx::SpecialMode special) {
  bool propagates = countsNan(Special(special));
  SmallVector<Value> magnitudes;
  for (Value value : values)
    magnitudes.push_back(nvvm::absolute(v, value));
  Value amax = reduceTree(magnitudes, [&](Value x, Value y) {
    return propagates ? nvvm::maxPropagatingNan(v, x, y) : nvvm::maxIgnoringNan(v, x, y);
  });
  if (!propagates) // all NaN: as zeros
    amax = nvvm::maxIgnoringNan(v, amax, arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0)));
  return nvvm::bitcast(v, v.b.getI32Type(), amax);
}

} // namespace mxc
