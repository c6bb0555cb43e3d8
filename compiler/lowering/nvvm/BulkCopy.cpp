#include "compiler/lowering/nvvm/BulkCopy.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

void copyBox(const ValueBuilder &v, Value shared, Value map, ValueRange coordinates, Value barrier) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      v.b, v.loc, shared, map, coordinates, barrier, /*im2colOffsets=*/ValueRange{},
      /*multicastMask=*/Value(), /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
      /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void copyBytes(const ValueBuilder &v, Value shared, Value global, int64_t bytes, Value barrier) {
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(v.b, v.loc, shared, global, barrier, v.i32(bytes),
                                                   /*multicastMask=*/Value(), /*l2CacheHint=*/Value());
}

} // namespace mxc::nvvm
