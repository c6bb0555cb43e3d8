#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Counters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value threadIdX(const ValueBuilder &v) { return NVVM::ThreadIdXOp::create(v.b, v.loc, v.b.getI32Type()); }

Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask) {
  return NVVM::ShflOp::create(v.b, v.loc, i32.getType(), v.i32(-1), i32, v.i32(laneMask), v.i32(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value shuffleFrom(const ValueBuilder &v, Value i32, Value lane) {
  return NVVM::ShflOp::create(v.b, v.loc, i32.getType(), v.i32(-1), i32, lane, v.i32(31), NVVM::ShflKind::idx,
                              UnitAttr());
}

Value shuffleFrom(const ValueBuilder &v, Value i32, int lane) { return shuffleFrom(v, i32, v.i32(lane)); }

Value shuffleUp(const ValueBuilder &v, Value i32, int distance) {
  Type both = LLVM::LLVMStructType::getLiteral(v.b.getContext(), {i32.getType(), v.b.getI1Type()});
  Value found = NVVM::ShflOp::create(v.b, v.loc, both, v.i32(-1), i32, v.i32(distance), v.i32(0),
                                     NVVM::ShflKind::up, v.b.getUnitAttr());
  Value isThere = LLVM::ExtractValueOp::create(v.b, v.loc, found, 1);
  return v.select(isThere, LLVM::ExtractValueOp::create(v.b, v.loc, found, 0), v.i32(0));
}

Value uniform(const ValueBuilder &v, Value i32) { return shuffleFrom(v, i32, 0); }

Value countLanes(const ValueBuilder &v, Value condition) {
  return LLVM::CtPopOp::create(v.b, v.loc, ballot(v, condition));
}

Value largestOfWarp(const ValueBuilder &v, Value i32) {
  return NVVM::ReduxOp::create(v.b, v.loc, i32.getType(), i32, NVVM::ReduxKind::UMAX, v.i32(-1));
}

Value sumOfWarp(const ValueBuilder &v, Value i32) {
  return NVVM::ReduxOp::create(v.b, v.loc, i32.getType(), i32, NVVM::ReduxKind::ADD, v.i32(-1));
}

Value electLane(const ValueBuilder &v) {
  return NVVM::ElectSyncOp::create(v.b, v.loc, v.b.getI1Type(), Value());
}

void syncWarp(const ValueBuilder &v) { NVVM::SyncWarpOp::create(v.b, v.loc, v.i32(-1)); }

void syncThreads(const ValueBuilder &v) { NVVM::BarrierOp::create(v.b, v.loc); }
void syncWarps(const ValueBuilder &v, int barrier, int warps) {
  NVVM::BarrierOp::create(v.b, v.loc, Type(), v.i32(barrier), v.i32(32 * warps), {}, Value());
}

} // namespace mxc::nvvm
