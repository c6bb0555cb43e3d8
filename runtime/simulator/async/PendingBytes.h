// Shared memory while asynchronous operations own parts of it.
#pragma once

#include "runtime/simulator/machine/Warp.h"
#include "runtime/simulator/memory/Access.h"

namespace mxc::sim {

/// Whether operations may complete later than they are issued: then their bytes are marked.
inline bool isDeferred(Warp &warp) { return gridOf(warp).options->schedule.kind != Schedule::Kind::Eager; }

/// Sets or clears a mark, such as kAsyncWrites, of bytes whose range has been checked. Nothing with
/// Checks::Off.
void setMarks(Cluster &cluster, uint32_t address, uint32_t bytes, ByteState mark);
void clearMarks(Cluster &cluster, uint32_t address, uint32_t bytes, ByteState mark);

/// Shared memory, a multiple of 16 bytes at one, that a pending operation has yet to read: kAsyncReads until
/// the last such operation drops it.
void holdReads(Cluster &cluster, uint32_t address, uint32_t bytes);
void dropReads(Cluster &cluster, uint32_t address, uint32_t bytes);

/// What the async proxy is about to read at `address`: checks that it is there and was written, that no
/// pending operation is to write it (Unfinished), and in Strict that no generic write lacks its
/// fence.proxy.async (ProxyOrder).
void requireAsyncSource(Warp &warp, uint32_t address, uint32_t bytes, int lane);
/// What it is about to write: that it is there, that no pending operation is to read it (Unfinished), or to
/// write it (Race; reductions may go together).
void requireAsyncDestination(Warp &warp, uint32_t address, uint32_t bytes, int lane,
                             bool isReduction = false);

/// Bytes that the async proxy has written: the generic proxy's older writes to them are gone.
void settleAsyncWrite(Cluster &cluster, uint32_t address, uint32_t bytes);

std::string sharedText(uint32_t address); // "shared 0x400 of CTA 1"

} // namespace mxc::sim
