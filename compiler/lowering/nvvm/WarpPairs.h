// Two warps of a CTA that meet.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

/// bar.sync of warps 2 i and 2 i + 1 of the CTA, i up to 7, at a barrier past those of roles; `warp` (i32) is
/// this one's number. What both wrote to shared memory is visible to both.
void syncWarpPair(const ValueBuilder &v, mlir::Value warp);

} // namespace mxc::nvvm
