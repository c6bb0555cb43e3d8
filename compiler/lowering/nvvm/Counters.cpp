#include "compiler/lowering/nvvm/Counters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

static Operation *assembly(const ValueBuilder &v, Type result, ValueRange operands, StringRef text,
                           StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      v.b, v.loc, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
}

Value countUp(const ValueBuilder &v, Value counter, bool orders) {
  return assembly(v, v.b.getI32Type(), counter,
                  orders ? "atom.acq_rel.gpu.global.add.u32 $0, [$1], 1;"
                         : "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;",
                  "=r,l,~{memory}")
      ->getResult(0);
}

void publishCount(const ValueBuilder &v, Value counter) {
  assembly(v, Type(), counter, "red.release.gpu.global.add.u32 [$0], 1;", "l,~{memory}");
}

Value acquireCount(const ValueBuilder &v, Value counter) {
  return assembly(v, v.b.getI32Type(), counter, "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l,~{memory}")
      ->getResult(0);
}

void raiseTo(const ValueBuilder &v, Value word, Value least) {
  assembly(v, Type(), {word, least}, "red.relaxed.gpu.global.max.u32 [$0], $1;", "l,r,~{memory}");
}

Value takeAway(const ValueBuilder &v, Value word) {
  return assembly(v, v.b.getI32Type(), word, "atom.relaxed.gpu.global.exch.b32 $0, [$1], 0;",
                  "=r,l,~{memory}")
      ->getResult(0);
}

void fenceProxyAsyncGlobal(const ValueBuilder &v) {
  NVVM::FenceProxyOp::create(v.b, v.loc,
                             NVVM::ProxyKindAttr::get(v.b.getContext(), NVVM::ProxyKind::async_global),
                             NVVM::SharedSpaceAttr());
}

Value ballot(const ValueBuilder &v, Value condition) {
  return NVVM::VoteSyncOp::create(v.b, v.loc, v.b.getI32Type(), v.i32(-1), condition,
                                  NVVM::VoteSyncKind::ballot);
}

} // namespace mxc::nvvm
