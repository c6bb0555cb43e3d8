// mx.gather_dot's lowering, which the family's registration names.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace mxc {

void registerGatherDotLowering(mlir::DialectRegistry &registry);

} // namespace mxc
