// cp.async.bulk: copies that the hardware makes on its own and completes on an mbarrier, by bytes.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

/// The alignment of a tensor copy's place in shared memory, unswizzled.
inline constexpr int64_t kTensorCopyAlignment = 128;

/// The box of `map` (generic address of a tensor map) that begins at `coordinates` (i32, fastest first). A
/// box over an edge completes its full bytes too.
void copyBox(const ValueBuilder &v, Value shared, Value map, mlir::ValueRange coordinates, Value barrier);
/// The same in a pair of CTAs (cta_group::2), whose `barrier` may be the even CTA's (inPairLeader).
/// `multicast`: into both CTAs, at the place of `shared` in each.
void copyBoxInPair(const ValueBuilder &v, Value shared, Value map, mlir::ValueRange coordinates,
                   Value barrier, bool multicast);
/// copyBox into both CTAs of a cluster of two, at the place of `shared`; completes on the barrier at the
/// place of `barrier` in each.
void copyBoxToBoth(const ValueBuilder &v, Value shared, Value map, mlir::ValueRange coordinates,
                   Value barrier);
/// Brings a tensor map, a kernel parameter, to where copies read it.
void prefetchMap(const ValueBuilder &v, Value map);
/// `bytes` (i32) consecutive bytes from global memory; they and both places are multiples of 16.
void copyBytes(const ValueBuilder &v, Value shared, Value global, Value bytes, Value barrier);

/// 4 or 16 bytes from global memory by the thread's own copy (cp.async), or zeros where `isThere` (i1) does
/// not hold: nothing is read then.
void copyPiece(const ValueBuilder &v, Value shared, Value global, int64_t bytes, Value isThere);
/// The thread's arrival on `barrier` when all copyPiece of it have landed.
void arriveWhenCopied(const ValueBuilder &v, Value barrier);

/// A box of shared memory to global memory; boxes between two commits are a group of the calling thread.
void storeBox(const ValueBuilder &v, Value map, mlir::ValueRange coordinates, Value shared);
void commitStores(const ValueBuilder &v);
void waitStoresRead(const ValueBuilder &v,
                    int pending); // all but the last `pending` groups have read shared memory

/// What threads wrote to shared memory is visible to copies and tensor cores that follow.
void fenceProxyAsync(const ValueBuilder &v);

} // namespace mxc::nvvm
