// tcgen05: tensor memory and the block-scaled MMA of sm_100. Addresses of tensor memory are i32: lane << 16 |
// column.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

namespace mxc::nvvm {

using mlir::Value;

/// Allocates columns (a power of two from 32 on) and writes the address to `shared`; a whole warp, in a pair
/// one of each CTA. No further allocation follows.
void tensorAlloc(const ValueBuilder &v, Value shared, int columns, bool pair);
void tensorDealloc(const ValueBuilder &v, Value address, int columns, bool pair);

void tensorFenceBefore(const ValueBuilder &v); // tcgen05.fence::before_thread_sync
void tensorFenceAfter(const ValueBuilder &v);  // tcgen05.fence::after_thread_sync

/// 512 bytes of shared memory to 32 lanes x 4 columns, the same in all four groups of lanes.
void copyScaleTile(const ValueBuilder &v, Value address, Value descriptor, bool pair);
/// d += a * b with scales, one K = 32 step of kind mxf8f6f4. `accumulate` (i1) false: d's old content is not
/// read.
void blockScaledMma(const ValueBuilder &v, mx::BlockMmaKind kind, Value d, Value a, Value b,
                    Value instruction, Value accumulate, Value scaleA, Value scaleB, bool pair);
/// The mbarrier is arrived at once when this thread's copies and MMAs so far are done; in a pair that of both
/// CTAs.
void tensorCommit(const ValueBuilder &v, Value barrier, bool pair);

/// `count` columns of this lane's row as vector<count x f32>. Asynchronous: tensorWaitLoads comes before what
/// must come after it.
Value tensorLoad(const ValueBuilder &v, Value address, int count);
void tensorWaitLoads(const ValueBuilder &v);

} // namespace mxc::nvvm
