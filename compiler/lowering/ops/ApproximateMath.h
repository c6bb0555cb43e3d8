// Math operations of prologues that may be approximated.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace mxc {

/// Under fastmath<afn>: populateApproximateMath's patterns may take it.
bool mayBeApproximated(mlir::Operation *op);

/// exp, exp2, log, log2, rsqrt and division of f32 with fastmath<afn> to the chip's approximate instructions.
void populateApproximateMath(mlir::RewritePatternSet &patterns);

} // namespace mxc
