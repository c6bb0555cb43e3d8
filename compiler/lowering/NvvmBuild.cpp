#include "compiler/lowering/NvvmBuild.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace mxc::nvvm {

Value threadIdX(const ValueBuilder &v) { return NVVM::ThreadIdXOp::create(v.b, v.loc, v.b.getI32Type()); }

Value ctaId(const ValueBuilder &v, Dim dim) {
  Type i32 = v.b.getI32Type();
  if (dim == Dim::X) return NVVM::BlockIdXOp::create(v.b, v.loc, i32);
  return dim == Dim::Y ? Value(NVVM::BlockIdYOp::create(v.b, v.loc, i32))
                       : NVVM::BlockIdZOp::create(v.b, v.loc, i32);
}

Value gridSize(const ValueBuilder &v, Dim dim) {
  Type i32 = v.b.getI32Type();
  if (dim == Dim::X) return NVVM::GridDimXOp::create(v.b, v.loc, i32);
  return dim == Dim::Y ? Value(NVVM::GridDimYOp::create(v.b, v.loc, i32))
                       : NVVM::GridDimZOp::create(v.b, v.loc, i32);
}

void launchDependents(const ValueBuilder &v) {
  NVVM::GriddepcontrolOp::create(v.b, v.loc, NVVM::GridDepActionKind::launch_dependents);
}

void waitForPrerequisites(const ValueBuilder &v) {
  NVVM::GriddepcontrolOp::create(v.b, v.loc, NVVM::GridDepActionKind::wait);
}

Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask) {
  return NVVM::ShflOp::create(v.b, v.loc, i32.getType(), v.i32(-1), i32, v.i32(laneMask), v.i32(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value permuteBytes(const ValueBuilder &v, Value a, Value b, Value selector) {
  auto call = LLVM::CallIntrinsicOp::create(v.b, v.loc, v.b.getI32Type(), v.b.getStringAttr("llvm.nvvm.prmt"),
                                            ValueRange{a, b, selector});
  return call.getResult(0);
}

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

Value decodePair(const ValueBuilder &v, ElementFormat format, Value codes) {
  Value bytes = bitcast(v, VectorType::get(2, v.b.getI8Type()), codes);
  return NVVM::ConvertF8x2ToF16x2Op::create(v.b, v.loc, VectorType::get(2, v.b.getF16Type()), bytes,
                                            /*relu=*/false, fp8Type(v, format));
}

Type pointerType(MLIRContext *context, unsigned space) { return LLVM::LLVMPointerType::get(context, space); }

Value offsetBytes(const ValueBuilder &v, Value pointer, Value bytes) {
  return LLVM::GEPOp::create(v.b, v.loc, pointer.getType(), v.b.getI8Type(), pointer, ValueRange{bytes});
}

Value load(const ValueBuilder &v, Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(v.b, v.loc, type, pointer, alignment);
}

void store(const ValueBuilder &v, Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(v.b, v.loc, value, pointer, alignment);
}

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

Value absolute(const ValueBuilder &v, Value floats) { return LLVM::FAbsOp::create(v.b, v.loc, floats); }
Value maxPropagatingNan(const ValueBuilder &v, Value x, Value y) {
  return LLVM::MaximumOp::create(v.b, v.loc, x, y);
}
Value maxIgnoringNan(const ValueBuilder &v, Value x, Value y) {
  return LLVM::MaxNumOp::create(v.b, v.loc, x, y);
}
Value maxUnsigned(const ValueBuilder &v, Value x, Value y) { return LLVM::UMaxOp::create(v.b, v.loc, x, y); }

Value dynamicShared(const ValueBuilder &v, Operation *inModule, unsigned alignment) {
  auto module = inModule->getParentOfType<ModuleOp>();
  constexpr StringRef name = "__mxc_shared";
  if (!module.lookupSymbol(name)) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    // External and empty is what makes it dynamic: an internal one becomes a static variable of one byte.
    LLVM::GlobalOp::create(b, v.loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                           LLVM::Linkage::External, name, Attribute(), alignment, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(v.b, v.loc, pointerType(v.b.getContext(), 3), name);
}

void initBarrier(const ValueBuilder &v, Value barrier, int arrivals) {
  NVVM::MBarrierInitOp::create(v.b, v.loc, barrier, v.i32(arrivals), Value());
  NVVM::FenceMbarrierInitOp::create(v.b, v.loc);
}

void arriveExpectBytes(const ValueBuilder &v, Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(v.b, v.loc, Type(), barrier, v.i32(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void copyBox(const ValueBuilder &v, Value shared, Value map, Value barrier, Value column, Value row) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      v.b, v.loc, shared, map, ValueRange{column, row}, barrier, /*im2colOffsets=*/ValueRange{},
      /*multicastMask=*/Value(), /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void syncThreads(const ValueBuilder &v) { NVVM::BarrierOp::create(v.b, v.loc); }

Value tryWaitParity(const ValueBuilder &v, Value barrier, int parity) {
  return NVVM::MBarrierTryWaitOp::create(v.b, v.loc, v.b.getI1Type(), barrier, v.i32(parity), Value());
}

} // namespace mxc::nvvm
