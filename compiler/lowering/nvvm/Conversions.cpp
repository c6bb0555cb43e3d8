#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "dialect/MxOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

bool converts(ElementFormat format) {
  const int bits = info(format).bits();
  return bits == 8 || bits == 6 || bits == 4;
}

// PTX's name of two elements: "e4m3x2".
static std::string pairName(Type element) {
  ElementFormat format = *mx::elementFormatOf(element);
  assert(info(format).bits() == 8);
  return std::string(info(format).name) + "x2";
}

Value encodePair(const ValueBuilder &v, Type element, Value low, Value high) {
  return NVVM::ConvertF32x2ToF8x2Op::create(v.b, v.loc, v.b.getI16Type(), /*a=*/high, /*b=*/low,
                                            NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
                                            /*relu=*/false, element);
}

Value encodePackedPair(const ValueBuilder &v, Type element, Value pair) {
  std::string text = "cvt.rn.satfinite." + pairName(element) + ".bf16x2 $0, $1;";
  return pureAssembly(v, v.b.getI16Type(), text, "=h,r", bitcast(v, v.b.getI32Type(), pair));
}

Value packBf16(const ValueBuilder &v, Value low, Value high) {
  Type pair = VectorType::get(2, v.b.getBF16Type());
  auto call = LLVM::CallIntrinsicOp::create(v.b, v.loc, pair, v.b.getStringAttr("llvm.nvvm.ff2bf16x2.rn"),
                                            ValueRange{high, low});
  return bitcast(v, v.b.getI32Type(), call.getResult(0));
}

Value decodeScaledPair(const ValueBuilder &v, Type element, Value codes, Value scales) {
  std::string text = "cvt.rn.scaled::n2::ue8m0.bf16x2." + pairName(element) + " $0, $1, $2;";
  Value pair = pureAssembly(v, v.b.getI32Type(), text, "=r,h,h", {codes, scales});
  return bitcast(v, VectorType::get(2, v.b.getBF16Type()), pair);
}

Value decodePair(const ValueBuilder &v, Type element, Value codes) {
  Value bytes = bitcast(v, VectorType::get(2, v.b.getI8Type()), codes);
  return NVVM::ConvertF8x2ToF16x2Op::create(v.b, v.loc, VectorType::get(2, v.b.getF16Type()), bytes,
                                            /*relu=*/false, element);
}

} // namespace mxc::nvvm
