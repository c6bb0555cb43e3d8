// Strict checks: who writes where a bulk copy to global memory read must know that it has read, and only
// cp.async.bulk.wait_group (.read) of the thread that issued it tells that. Another lane of its warp learns
// it at a bar.warp.sync (LaneMeetings.h), another warp by the order of SharedRaces.h, given by that thread or
// by one that has met it. That the bytes were read is no knowledge: under an eager schedule they always are.
// The last one of several copies that read one place is watched; a copy reads whole 16 bytes.
//
// The same of what tcgen05.mma and tcgen05.cp read: who writes there has seen the phase end of an mbarrier on
// which a later tcgen05.commit arrives, or learned it; and of what wgmma reads: a warp knows that it has been
// read when it has waited by wgmma.wait_group for its warpgroup's group, or has learned it from a warp that
// has. The last read of each warpgroup is watched.
#pragma once

#include "runtime/simulator/machine/Warp.h"

#include <span>

namespace mxc::sim {

/// An operation of the open group of `lane` is to read those bytes, whose range has been checked; the address
/// is a 32-bit shared one.
void noteBulkRead(Warp &warp, uint32_t address, uint32_t bytes, int lane);
/// The lane has waited until all but `count` of its groups have read.
void observeBulkReads(Warp &warp, int lane, uint64_t count);

/// A group of copies that a lane of the CTA has not waited for; null: none.
const BulkReads::Group *unobservedReads(const Cta &cta);

/// The open group of wgmma of the warp is to read these pieces of 16 bytes of its CTA's shared memory, by
/// their offsets from kSharedBase.
void noteProductReads(Warp &warp, std::span<const uint32_t> chunks);
/// The warp has waited until so many groups of its warpgroup were done.
void observeProducts(Warp &warp, uint64_t groups);

/// A tcgen05 operation that `leader`'s CTA or pair performs is to read 16 bytes of shared memory of `cta`, at
/// an offset from kSharedBase. A chip has either wgmma's warpgroups or these.
void noteTensorRead(Cluster &cluster, const Cta &leader, Cta &cta, uint32_t offset);
/// A tcgen05.commit tells `order`: those before it have read.
void addTensorReads(Warp &warp, const Cta &leader, std::vector<uint32_t> &order);

/// `lane` is to write those bytes of shared memory of `cta`, itself or by the async proxy; the range has been
/// checked. Throws FaultError (Unfinished).
void requireReadsObserved(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, int lane);

/// Those bytes hold something else now, which an asynchronous operation wrote.
void forgetAsyncReads(SharedMemory &shared, uint32_t offset, uint32_t bytes);

} // namespace mxc::sim
