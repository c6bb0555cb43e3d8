#include "compiler/lowering/PackedPairs.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static Type pairType(const ValueBuilder &v) { return VectorType::get(2, v.b.getBF16Type()); }

// bf16 is the upper half of an f32, and powers of two, 2^-127 included, have nothing in the lower one.
Value packMultipliers(const ValueBuilder &v, Value low, Value high) {
  Type i32 = v.b.getI32Type();
  Value halves =
      nvvm::permuteBytes(v, nvvm::bitcast(v, i32, low), nvvm::bitcast(v, i32, high), v.i32(0x7632));
  return nvvm::bitcast(v, pairType(v), halves);
}

SmallVector<Value> scaledPairs(const ValueBuilder &v, Value elements, Value multipliers) {
  int count = cast<VectorType>(elements.getType()).getNumElements() / 2;
  Value words = nvvm::bitcast(v, VectorType::get(count, v.b.getI32Type()), elements);
  SmallVector<Value> pairs;
  for (int i = 0; i < count; ++i) {
    Value pair = nvvm::bitcast(v, pairType(v), nvvm::element(v, words, i));
    pairs.push_back(arith::MulFOp::create(v.b, v.loc, pair, multipliers));
  }
  return pairs;
}

} // namespace mxc
