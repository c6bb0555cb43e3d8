// mbarrier objects in shared memory, 8 bytes each. Ring.h says who uses which.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

inline constexpr int64_t kMbarrierBytes = 8;

void initMbarrier(const ValueBuilder &v, Value barrier, int arrivals);
void fenceMbarrierInit(const ValueBuilder &v); // earlier inits are visible to the async proxy and the cluster
void arrive(const ValueBuilder &v, Value barrier);
void arriveExpectBytes(const ValueBuilder &v, Value barrier, int64_t bytes);
void arriveExpectBytes(const ValueBuilder &v, Value barrier, Value bytes); // i32
/// i1: the phase of this parity (i32) has completed; may suspend the thread for a while.
Value tryWaitParity(const ValueBuilder &v, Value barrier, Value parity);
/// The same at once: a warp whose try goes unanswered cannot exit before its time is over (4 us on an H200),
/// even where nothing takes the answer.
Value testParity(const ValueBuilder &v, Value barrier, Value parity);
/// Tries until the phase has completed.
void waitParity(const ValueBuilder &v, Value barrier, Value parity);

} // namespace mxc::nvvm
