// The role of the warps that make bf16 copies of operands.
#pragma once

#include "compiler/lowering/product/plan/OperandCopies.h"

namespace mxc {

void emitDequantizeOperands(const ProductEntry &e, const OperandCopies &copies, int firstWarp, int warps);

} // namespace mxc
