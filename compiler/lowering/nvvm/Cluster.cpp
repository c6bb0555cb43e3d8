#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value clusterRank(const ValueBuilder &v) { return NVVM::ClusterId::create(v.b, v.loc, v.b.getI32Type()); }

void syncCluster(const ValueBuilder &v) {
  NVVM::ClusterArriveOp::create(v.b, v.loc, v.b.getUnitAttr());
  waitForCluster(v);
}

void arriveAtCluster(const ValueBuilder &v) {
  NVVM::ClusterArriveRelaxedOp::create(v.b, v.loc, v.b.getUnitAttr());
}

void waitForCluster(const ValueBuilder &v) { NVVM::ClusterWaitOp::create(v.b, v.loc, v.b.getUnitAttr()); }

// An own shared address carries the CTA's rank from bit 24 on; without its lowest bit it is the even CTA's.
Value inPairLeader(const ValueBuilder &v, Value shared) {
  return pointerTo(v, v.bitAnd(addressOf(v, shared), 0xFEFFFFFF), 3);
}

Value inCluster(const ValueBuilder &v, Value shared) { return pointerTo(v, addressOf(v, shared), 7); }

void arriveRemote(const ValueBuilder &v, Value barrier) {
  NVVM::MBarrierArriveOp::create(v.b, v.loc, Type(), barrier, Value(), NVVM::MemScopeKind::CTA);
}

// Without .release.cluster, in front of which the assembler puts a fence of the whole device's memory; what
// the stage was read by are asynchronous operations that the caller has waited for.
void arriveInCta(const ValueBuilder &v, Value barrier, Value rank) {
  volatileAssembly(v, Type(),
                   "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, $0, $1;\n"
                   "mbarrier.arrive.shared::cluster.b64 _, [there];\n}",
                   "r,r,~{memory}", {addressOf(v, barrier), rank});
}

void storeInCta(const ValueBuilder &v, ArrayRef<Value> words, Value shared, Value barrier, Value rank) {
  SmallVector<Value> operands(words);
  operands.append({addressOf(v, shared), addressOf(v, barrier), rank});
  volatileAssembly(
      v, Type(),
      "{\n.reg .b32 to, bar;\nmapa.shared::cluster.u32 to, $4, $6;\nmapa.shared::cluster.u32 bar, $5, $6;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [to], {$0, $1, $2, $3}, [bar];\n}",
      "r,r,r,r,r,r,r,~{memory}", operands);
}

Value loadFourInPlace(const ValueBuilder &v, Value pointer, bool isRemote) {
  SmallVector<Type> words(4, v.b.getF32Type());
  std::string text =
      std::string("ld.shared") + (isRemote ? "::cluster" : "") + ".v4.f32 {$0, $1, $2, $3}, [$4];";
  Value loaded = volatileAssembly(v, LLVM::LLVMStructType::getLiteral(v.b.getContext(), words), text,
                                  "=f,=f,=f,=f,r,~{memory}", addressOf(v, pointer));
  SmallVector<Value> elements;
  for (int i = 0; i < 4; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(v.b, v.loc, loaded, i));
  return fromElements(v, VectorType::get(4, v.b.getF32Type()), elements);
}

Value inCta(const ValueBuilder &v, Value shared, Value rank) {
  return NVVM::MapaOp::create(v.b, v.loc, pointerType(v.b.getContext(), 7), shared, rank);
}

void announceInCta(const ValueBuilder &v, Value barrier, Value rank, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(v.b, v.loc, Type(), inCta(v, barrier, rank), v.i32(bytes),
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
}

} // namespace mxc::nvvm
