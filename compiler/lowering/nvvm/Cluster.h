// Clusters: the CTA's rank, barriers of all CTAs, mbarriers of another one.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

Value clusterRank(const ValueBuilder &v);    // i32: %cluster_ctarank
void syncCluster(const ValueBuilder &v);     // arrive (release) and wait (acquire), all threads of all CTAs
void arriveAtCluster(const ValueBuilder &v); // relaxed: orders no memory
void waitForCluster(const ValueBuilder &v);

/// The address in the even CTA of this CTA's pair of what lies at `shared` here, as copies of a pair take
/// their barrier's.
Value inPairLeader(const ValueBuilder &v, Value shared);
Value inCluster(const ValueBuilder &v, Value shared); // the same address as shared::cluster
/// Arrives once, releasing at cluster scope, at an mbarrier in shared::cluster memory.
void arriveRemote(const ValueBuilder &v, Value barrier);
/// Announces bytes, as an arrival, at the mbarrier at the place of `barrier` (space 3) in the CTA of that
/// rank (i32).
void announceInCta(const ValueBuilder &v, Value barrier, Value rank, int64_t bytes);
/// Arrives once at the mbarrier at the place of `barrier` (space 3) in the CTA of that rank (i32).
void arriveInCta(const ValueBuilder &v, Value barrier, Value rank);

/// Four words (i32) to the place of `shared` (space 3) in the CTA of that rank (i32); their bytes complete on
/// the mbarrier at the place of `barrier` there. The launch has clusters.
void storeInCta(const ValueBuilder &v, mlir::ArrayRef<Value> words, Value shared, Value barrier, Value rank);

/// A vector<4xf32> from shared memory, or with `isRemote` shared::cluster memory, loaded where it stands:
/// LLVM would move it to its use, and so wait for one load after the other.
Value loadFourInPlace(const ValueBuilder &v, Value pointer, bool isRemote);

/// The place of `shared` (space 3) in the CTA of that rank (i32), in shared::cluster memory.
Value inCta(const ValueBuilder &v, Value shared, Value rank);

} // namespace mxc::nvvm
