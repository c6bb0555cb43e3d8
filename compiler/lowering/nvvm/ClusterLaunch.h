// clusterlaunchcontrol of sm_100: a running cluster takes over one that was not launched yet.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

inline constexpr int64_t kAnswerBytes = 16;

/// Asks; the answer is written to `shared` and completes as bytes on `barrier`, both of this CTA.
void tryCancel(const ValueBuilder &v, Value shared, Value barrier);

Value loadAnswer(const ValueBuilder &v, Value shared); // i128
Value isCanceled(const ValueBuilder &v, Value answer); // i1: a cluster's work is the asker's now
Value firstCanceledCta(const ValueBuilder &v,
                       Value answer); // i32: blockIdx.x of its first CTA, where one was canceled

} // namespace mxc::nvvm
