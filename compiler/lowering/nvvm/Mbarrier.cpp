#include "compiler/lowering/nvvm/Mbarrier.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc::nvvm {

void initMbarrier(const ValueBuilder &v, Value barrier, int arrivals) {
  NVVM::MBarrierInitOp::create(v.b, v.loc, barrier, v.i32(arrivals), /*predicate=*/Value());
}

void fenceMbarrierInit(const ValueBuilder &v) { NVVM::FenceMbarrierInitOp::create(v.b, v.loc); }

void arrive(const ValueBuilder &v, Value barrier) {
  NVVM::MBarrierArriveOp::create(v.b, v.loc, /*res=*/v.b.getI64Type(), barrier, /*count=*/Value(),
                                 NVVM::MemScopeKind::CTA, /*relaxed=*/false);
}

void arriveExpectBytes(const ValueBuilder &v, Value barrier, int64_t bytes) {
  arriveExpectBytes(v, barrier, v.i32(bytes));
}

void arriveExpectBytes(const ValueBuilder &v, Value barrier, Value bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(v.b, v.loc, Type(), barrier, bytes, NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, /*predicate=*/Value());
}

Value tryWaitParity(const ValueBuilder &v, Value barrier, Value parity) {
  return NVVM::MBarrierTryWaitOp::create(v.b, v.loc, v.b.getI1Type(), barrier, parity, /*ticks=*/Value());
}

Value testParity(const ValueBuilder &v, Value barrier, Value parity) {
  return NVVM::MBarrierTestWaitOp::create(v.b, v.loc, v.b.getI1Type(), barrier, parity,
                                          NVVM::MemScopeKind::CTA,
                                          /*relaxed=*/false);
}

void waitParity(const ValueBuilder &v, Value barrier, Value parity) {
  auto loop = scf::WhileOp::create(v.b, v.loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(v.b);
  v.b.createBlock(&loop.getBefore());
  Value done = tryWaitParity(v, barrier, parity);
  Value again = arith::XOrIOp::create(v.b, v.loc, done, v.i1(true));
  scf::ConditionOp::create(v.b, v.loc, again, ValueRange());
  v.b.createBlock(&loop.getAfter());
  scf::YieldOp::create(v.b, v.loc);
}

} // namespace mxc::nvvm
