#include "compiler/lowering/nvvm/Threads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value threadIdX(const ValueBuilder &v) { return NVVM::ThreadIdXOp::create(v.b, v.loc, v.b.getI32Type()); }

Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask) {
  return NVVM::ShflOp::create(v.b, v.loc, i32.getType(), v.i32(-1), i32, v.i32(laneMask), v.i32(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value uniform(const ValueBuilder &v, Value i32) {
  return NVVM::ShflOp::create(v.b, v.loc, i32.getType(), v.i32(-1), i32, v.i32(0), v.i32(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value electLane(const ValueBuilder &v) {
  return NVVM::ElectSyncOp::create(v.b, v.loc, v.b.getI1Type(), Value());
}

void syncWarp(const ValueBuilder &v) { NVVM::SyncWarpOp::create(v.b, v.loc, v.i32(-1)); }

void syncThreads(const ValueBuilder &v) { NVVM::BarrierOp::create(v.b, v.loc); }

} // namespace mxc::nvvm
