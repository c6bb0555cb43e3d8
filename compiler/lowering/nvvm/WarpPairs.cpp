#include "compiler/lowering/nvvm/WarpPairs.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

void syncWarpPair(const ValueBuilder &v, Value warp) {
  constexpr int kFirst = 8; // of the chip's 16
  Value barrier = v.add(v.shru(warp, 1), kFirst);
  NVVM::BarrierOp::create(v.b, v.loc, Type(), barrier, v.i32(2 * 32), {}, Value());
}

} // namespace mxc::nvvm
