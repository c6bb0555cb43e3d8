#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

static Type fp8Type(const ValueBuilder &v, ElementFormat format) {
  assert(format == ElementFormat::E4M3 || format == ElementFormat::E5M2);
  return format == ElementFormat::E4M3 ? Type(Float8E4M3FNType::get(v.b.getContext()))
                                       : Type(Float8E5M2Type::get(v.b.getContext()));
}

Value encodePair(const ValueBuilder &v, ElementFormat format, Value low, Value high) {
  return NVVM::ConvertF32x2ToF8x2Op::create(v.b, v.loc, v.b.getI16Type(), /*a=*/high, /*b=*/low,
                                            NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
                                            /*relu=*/false, fp8Type(v, format));
}

Value encodePackedPair(const ValueBuilder &v, ElementFormat format, Value pair) {
  assert(format == ElementFormat::E4M3 || format == ElementFormat::E5M2);
  StringRef text = format == ElementFormat::E4M3 ? "cvt.rn.satfinite.e4m3x2.bf16x2 $0, $1;"
                                                 : "cvt.rn.satfinite.e5m2x2.bf16x2 $0, $1;";
  return pureAssembly(v, v.b.getI16Type(), text, "=h,r", bitcast(v, v.b.getI32Type(), pair));
}

Value decodeScaledPair(const ValueBuilder &v, ElementFormat format, Value codes, Value scales) {
  assert(format == ElementFormat::E4M3 || format == ElementFormat::E5M2);
  StringRef text = format == ElementFormat::E4M3 ? "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 $0, $1, $2;"
                                                 : "cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2 $0, $1, $2;";
  Value pair = pureAssembly(v, v.b.getI32Type(), text, "=r,h,h", {codes, scales});
  return bitcast(v, VectorType::get(2, v.b.getBF16Type()), pair);
}

Value decodePair(const ValueBuilder &v, ElementFormat format, Value codes) {
  Value bytes = bitcast(v, VectorType::get(2, v.b.getI8Type()), codes);
  return NVVM::ConvertF8x2ToF16x2Op::create(v.b, v.loc, VectorType::get(2, v.b.getF16Type()), bytes,
                                            /*relu=*/false, fp8Type(v, format));
}

} // namespace mxc::nvvm
