#include "compiler/lowering/nvvm/Tcgen05.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

static NVVM::CTAGroupKindAttr group(const ValueBuilder &v, bool pair) {
  return NVVM::CTAGroupKindAttr::get(v.b.getContext(),
                                     pair ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1);
}

static Value tensorPointer(const ValueBuilder &v, Value address) {
  return LLVM::IntToPtrOp::create(v.b, v.loc, LLVM::LLVMPointerType::get(v.b.getContext(), 6), address);
}

void tensorAlloc(const ValueBuilder &v, Value shared, int columns, bool pair) {
  NVVM::Tcgen05AllocOp::create(v.b, v.loc, shared, v.i32(columns), group(v, pair));
  NVVM::Tcgen05RelinquishAllocPermitOp::create(v.b, v.loc, group(v, pair));
}

void tensorDealloc(const ValueBuilder &v, Value address, int columns, bool pair) {
  NVVM::Tcgen05DeallocOp::create(v.b, v.loc, tensorPointer(v, address), v.i32(columns), group(v, pair));
}

static void fence(const ValueBuilder &v, NVVM::Tcgen05FenceKind kind) {
  NVVM::Tcgen05FenceOp::create(v.b, v.loc, NVVM::Tcgen05FenceKindAttr::get(v.b.getContext(), kind));
}
void tensorFenceBefore(const ValueBuilder &v) { fence(v, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC); }
void tensorFenceAfter(const ValueBuilder &v) { fence(v, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC); }

void copyScaleTile(const ValueBuilder &v, Value address, Value descriptor, bool pair) {
  MLIRContext *context = v.b.getContext();
  NVVM::Tcgen05CpOp::create(
      v.b, v.loc, NVVM::Tcgen05CpShapeAttr::get(context, NVVM::Tcgen05CpShape::SHAPE_32x128b), group(v, pair),
      NVVM::Tcgen05CpMulticastAttr::get(context, NVVM::Tcgen05CpMulticast::WARPX4),
      NVVM::Tcgen05CpSrcFormatAttr(), tensorPointer(v, address), descriptor);
}

void blockScaledMma(const ValueBuilder &v, mx::BlockMmaKind kind, Value d, Value a, Value b,
                    Value instruction, Value accumulate, Value scaleA, Value scaleB, bool pair) {
  MLIRContext *context = v.b.getContext();
  static_assert(int(mx::BlockMmaKind::Mxf8f6f4) == int(NVVM::MMABlockScaleKind::MXF8F6F4) &&
                int(mx::BlockMmaKind::Mxf4) == int(NVVM::MMABlockScaleKind::MXF4) &&
                int(mx::BlockMmaKind::Mxf4nvf4) == int(NVVM::MMABlockScaleKind::MXF4NVF4));
  const auto block = kind == mx::BlockMmaKind::Mxf4nvf4 ? NVVM::Tcgen05MMABlockScale::BLOCK16
                                                        : NVVM::Tcgen05MMABlockScale::BLOCK32;
  NVVM::Tcgen05MMABlockScaleOp::create(
      v.b, v.loc, NVVM::MMABlockScaleKindAttr::get(context, NVVM::MMABlockScaleKind(kind)), group(v, pair),
      NVVM::Tcgen05MMABlockScaleAttr::get(context, block),
      NVVM::Tcgen05MMACollectorOpAttr::get(context, NVVM::Tcgen05MMACollectorOp::DISCARD),
      tensorPointer(v, d), a, b, instruction, accumulate, tensorPointer(v, scaleA), tensorPointer(v, scaleB));
}

void tensorCommit(const ValueBuilder &v, Value barrier, bool pair) {
  Value both = pair ? v.constant(v.b.getI16Type(), 3) : Value();
  NVVM::Tcgen05CommitOp::create(v.b, v.loc, barrier, both, group(v, pair));
}

Value tensorLoad(const ValueBuilder &v, Value address, int count) {
  auto words = VectorType::get(count, v.b.getI32Type());
  auto shape = NVVM::Tcgen05LdStShapeAttr::get(v.b.getContext(), NVVM::Tcgen05LdStShape::SHAPE_32X32B);
  Value bits =
      NVVM::Tcgen05LdOp::create(v.b, v.loc, words, UnitAttr(), shape, tensorPointer(v, address), Value());
  return LLVM::BitcastOp::create(v.b, v.loc, VectorType::get(count, v.b.getF32Type()), bits);
}

void tensorWaitLoads(const ValueBuilder &v) {
  NVVM::Tcgen05WaitOp::create(v.b, v.loc,
                              NVVM::Tcgen05WaitKindAttr::get(v.b.getContext(), NVVM::Tcgen05WaitKind::LOAD));
}

} // namespace mxc::nvvm
