#include "compiler/lowering/nvvm/BulkCopy.h"

#include "compiler/lowering/nvvm/Cluster.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

void copyBox(const ValueBuilder &v, Value shared, Value map, ValueRange coordinates, Value barrier) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      v.b, v.loc, shared, map, coordinates, barrier, /*im2colOffsets=*/ValueRange{},
      /*multicastMask=*/Value(), /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void copyBoxInPair(const ValueBuilder &v, Value shared, Value map, ValueRange coordinates, Value barrier,
                   bool multicast) {
  MLIRContext *context = v.b.getContext();
  Value mask = multicast ? v.constant(v.b.getI16Type(), 3) : Value();
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      v.b, v.loc, inCluster(v, shared), map, coordinates, barrier, ValueRange{}, mask, Value(),
      NVVM::TMALoadModeAttr::get(context, NVVM::TMALoadMode::TILE), v.b.getBoolAttr(false),
      NVVM::CTAGroupKindAttr::get(context, NVVM::CTAGroupKind::CTA_2), Value());
}

void copyBoxToBoth(const ValueBuilder &v, Value shared, Value map, ValueRange coordinates, Value barrier) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      v.b, v.loc, inCluster(v, shared), map, coordinates, barrier, ValueRange{},
      v.constant(v.b.getI16Type(), 3),
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
      Value());
}

// Given a generic pointer LLVM would prefetch the parameter twice: once by either kind of address.
void prefetchMap(const ValueBuilder &v, Value map) {
  NVVM::PrefetchOp::create(v.b, v.loc, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
                           /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), map, /*predicate=*/Value(),
                           /*tensormap=*/v.b.getUnitAttr(), /*uniform=*/UnitAttr(),
                           /*in_param_space=*/v.b.getUnitAttr());
}

void copyBytes(const ValueBuilder &v, Value shared, Value global, Value bytes, Value barrier) {
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(v.b, v.loc, shared, global, barrier, bytes,
                                                   /*multicastMask=*/Value(), /*l2CacheHint=*/Value());
}

void copyPiece(const ValueBuilder &v, Value shared, Value global, int64_t bytes, Value isThere) {
  const auto past = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(v.b, v.loc, shared, global, v.b.getI32IntegerAttr(bytes),
                          NVVM::LoadCacheModifierKindAttr::get(v.b.getContext(), past),
                          v.select(isThere, v.i32(bytes), v.i32(0)));
}

void arriveWhenCopied(const ValueBuilder &v, Value barrier) {
  NVVM::CpAsyncMBarrierArriveOp::create(v.b, v.loc, barrier, /*noinc=*/true);
}

void storeBox(const ValueBuilder &v, Value map, ValueRange coordinates, Value shared) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      v.b, v.loc, map, shared, coordinates, Value(),
      NVVM::TMAStoreModeAttr::get(v.b.getContext(), NVVM::TMAStoreMode::TILE), Value());
}

void commitStores(const ValueBuilder &v) { NVVM::CpAsyncBulkCommitGroupOp::create(v.b, v.loc); }

void waitStoresRead(const ValueBuilder &v, int pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(v.b, v.loc, v.b.getI32IntegerAttr(pending), v.b.getUnitAttr());
}

void fenceProxyAsync(const ValueBuilder &v) {
  MLIRContext *context = v.b.getContext();
  NVVM::FenceProxyOp::create(v.b, v.loc, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

} // namespace mxc::nvvm
