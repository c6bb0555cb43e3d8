#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace mxc {

static int lengthOf(ArrayRef<Value> inputs) {
  for (Value input : inputs)
    if (auto type = dyn_cast<VectorType>(input.getType())) return type.getNumElements();
  return 1;
}

static Value scalarOf(const ValueBuilder &v, Value input, int index) {
  Value x = isa<VectorType>(input.getType()) ? nvvm::element(v, input, index) : input;
  return x.getType().isF32() ? x : arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), x);
}

SmallVector<Value> applyScalarRegion(const ValueBuilder &v, Block &region, ArrayRef<Value> inputs,
                                     ArrayRef<Value> valid, const IRMapping &outer) {
  OperandRange yielded = region.getTerminator()->getOperands();
  SmallVector<SmallVector<Value>> elements(yielded.size());
  int length = lengthOf(inputs);
  Value nothing = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0));
  for (int i = 0; i < length; ++i) {
    IRMapping mapping = outer;
    for (auto [argument, input] : llvm::zip(region.getArguments(), inputs))
      mapping.map(argument, scalarOf(v, input, i));
    for (Operation &inner : region.without_terminator())
      v.b.clone(inner, mapping);
    for (auto [results, y] : llvm::zip(elements, yielded)) {
      Value result = mapping.lookupOrDefault(y);
      results.push_back(valid.empty() ? result : v.select(valid[i], result, nothing));
    }
  }
  SmallVector<Value> vectors;
  for (ArrayRef<Value> results : elements)
    vectors.push_back(nvvm::fromElements(v, VectorType::get(length, v.b.getF32Type()), results));
  return vectors;
}

} // namespace mxc
