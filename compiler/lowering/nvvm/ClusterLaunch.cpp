#include "compiler/lowering/nvvm/ClusterLaunch.h"
#include "compiler/lowering/nvvm/Memory.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

void tryCancel(const ValueBuilder &v, Value shared, Value barrier) {
  NVVM::ClusterLaunchControlTryCancelOp::create(v.b, v.loc, /*multicast=*/false, shared, barrier);
}

static Value query(const ValueBuilder &v, NVVM::ClusterLaunchControlQueryType what, Type type, Value answer) {
  return NVVM::ClusterLaunchControlQueryCancelOp::create(v.b, v.loc, type, what, answer);
}

Value loadAnswer(const ValueBuilder &v, Value shared) {
  return load(v, v.b.getIntegerType(128), shared, kAnswerBytes);
}

Value isCanceled(const ValueBuilder &v, Value answer) {
  return query(v, NVVM::ClusterLaunchControlQueryType::IS_CANCELED, v.b.getI1Type(), answer);
}

Value firstCanceledCta(const ValueBuilder &v, Value answer) {
  return query(v, NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_X, v.b.getI32Type(), answer);
}

} // namespace mxc::nvvm
