// Truncations to f16 and bf16, kept apart from what they round.
#pragma once

#include "mlir/IR/Operation.h"

namespace mxc {

/// Puts an llvm.arithmetic.fence before every truncation to f16 or bf16 within `root`: LLVM would compute
/// what is truncated in the narrow type, whatever its range
/// (docs/decisions/0011-truncations-behind-a-fence.md).
void fenceNarrowing(mlir::Operation *root);

} // namespace mxc
