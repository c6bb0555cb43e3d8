#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value bitcast(const ValueBuilder &v, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(v.b, v.loc, type, value);
}

Value element(const ValueBuilder &v, Value vector, int index) {
  return LLVM::ExtractElementOp::create(v.b, v.loc, vector, v.i32(index));
}

Value fromElements(const ValueBuilder &v, Type vectorType, ValueRange elements) {
  Value vector = LLVM::PoisonOp::create(v.b, v.loc, vectorType);
  for (auto [index, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(v.b, v.loc, vector, element, v.i32(index));
  return vector;
}

Value packWords(const ValueBuilder &v, Value low, Value high) {
  return pureAssembly(v, v.b.getI64Type(), "mov.b64 $0, {$1, $2};", "=l,r,r", {low, high});
}

Value permuteBytes(const ValueBuilder &v, Value a, Value b, Value selector) {
  auto call = LLVM::CallIntrinsicOp::create(v.b, v.loc, v.b.getI32Type(), v.b.getStringAttr("llvm.nvvm.prmt"),
                                            ValueRange{a, b, selector});
  return call.getResult(0);
}

Value absolute(const ValueBuilder &v, Value floats) { return LLVM::FAbsOp::create(v.b, v.loc, floats); }
Value maxPropagatingNan(const ValueBuilder &v, Value x, Value y) {
  return LLVM::MaximumOp::create(v.b, v.loc, x, y);
}
Value maxIgnoringNan(const ValueBuilder &v, Value x, Value y) {
  return LLVM::MaxNumOp::create(v.b, v.loc, x, y);
}
Value multiplyAdd(const ValueBuilder &v, Value x, Value y, Value z) {
  return LLVM::FMAOp::create(v.b, v.loc, x, y, z);
}
Value approximateReciprocal(const ValueBuilder &v, Value x) {
  auto call = LLVM::CallIntrinsicOp::create(v.b, v.loc, x.getType(),
                                            v.b.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"), ValueRange{x});
  return call.getResult(0);
}
Value minIgnoringNan(const ValueBuilder &v, Value x, Value y) {
  return LLVM::MinNumOp::create(v.b, v.loc, x, y);
}
Value maxMagnitude(const ValueBuilder &v, Value x, Value y, bool nanWins) {
  StringRef name = nanWins ? "llvm.nvvm.fmax.nan.xorsign.abs.bf16x2" : "llvm.nvvm.fmax.xorsign.abs.bf16x2";
  return LLVM::CallIntrinsicOp::create(v.b, v.loc, x.getType(), v.b.getStringAttr(name), ValueRange{x, y})
      .getResult(0);
}
Value maxUnsigned(const ValueBuilder &v, Value x, Value y) { return LLVM::UMaxOp::create(v.b, v.loc, x, y); }

} // namespace mxc::nvvm
