#include "compiler/lowering/ops/WideElements.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

SmallVector<Value> wideElements(const ValueBuilder &v, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  Type f32 = v.b.getF32Type();
  SmallVector<Value> values;
  if (type.getElementType().isBF16()) {
    Value words = nvvm::bitcast(v, VectorType::get(type.getNumElements() / 2, v.b.getI32Type()), elements);
    for (int i = 0; i < type.getNumElements() / 2; ++i) {
      Value word = nvvm::element(v, words, i);
      values.push_back(nvvm::bitcast(v, f32, v.shl(word, 16)));
      values.push_back(nvvm::bitcast(v, f32, v.bitAnd(word, 0xffff0000)));
    }
    return values;
  }
  for (int i = 0; i < type.getNumElements(); ++i) {
    Value value = nvvm::element(v, elements, i);
    values.push_back(value.getType().isF32() ? value : arith::ExtFOp::create(v.b, v.loc, f32, value));
  }
  return values;
}

} // namespace mxc
