// The threads of a CTA: who is asking, shuffles, the CTA's barrier.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

Value threadIdX(const ValueBuilder &v); // i32
Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask);
void syncThreads(const ValueBuilder &v); // bar.sync 0 of the whole CTA

} // namespace mxc::nvvm
