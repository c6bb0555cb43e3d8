#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value countUp(const ValueBuilder &v, Value counter, bool orders) {
  return volatileAssembly(v, v.b.getI32Type(),
                          orders ? "atom.acq_rel.gpu.global.add.u32 $0, [$1], 1;"
                                 : "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;",
                          "=r,l,~{memory}", counter);
}

void publishCount(const ValueBuilder &v, Value counter) {
  volatileAssembly(v, Type(), "red.release.gpu.global.add.u32 [$0], 1;", "l,~{memory}", counter);
}

Value acquireCount(const ValueBuilder &v, Value counter) {
  return volatileAssembly(v, v.b.getI32Type(), "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l,~{memory}",
                          counter);
}

void raiseTo(const ValueBuilder &v, Value word, Value least) {
  volatileAssembly(v, Type(), "red.relaxed.gpu.global.max.u32 [$0], $1;", "l,r,~{memory}", {word, least});
}

void addTo(const ValueBuilder &v, Value number, Value i64) {
  volatileAssembly(v, Type(), "red.relaxed.gpu.global.add.u64 [$0], $1;", "l,l,~{memory}", {number, i64});
}

Value takeAway(const ValueBuilder &v, Value word) {
  return volatileAssembly(v, v.b.getI32Type(), "atom.relaxed.gpu.global.exch.b32 $0, [$1], 0;",
                          "=r,l,~{memory}", word);
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
