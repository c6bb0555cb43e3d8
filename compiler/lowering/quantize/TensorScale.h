// What blocks' scales take of the number that is given for the whole tensor (docs/semantics/nvfp4.md).
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"
#include "compiler/lowering/entry/KernelSignature.h"
#include "dialect/MxOps.h"

namespace mxc {

/// What mx.encode_scale takes, f32, of the copy along `copy`; null where the format has none.
mlir::Value tensorScaleOf(EntryFunction &entry, const KernelSignature &signature, mx::QuantizeOp op,
                          mx::Axis copy);

} // namespace mxc
