// Every access to memory: what an address means, whether it may be touched, and what is known of the bytes.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

enum class AccessKind : uint8_t {
  Read,
  Write,
  Atomic,
  Load, // a read into registers, which may hold what nobody wrote: UnwrittenValues.h
};

/// The host's bytes for [address, address + bytes) of `space` (Generic: by its window) for a lane. Throws
/// FaultError: OutOfBounds, Misaligned (address % alignment; alignment 0: of `bytes`), AddressSpace, and by
/// the checks' level Unwritten, Unfinished. Marks written bytes. With Checks::Standard a Load of shared or
/// global memory that nobody wrote adds its lane to Warp::unwrittenLoads instead; with Checks::Strict one of
/// local memory with a byte that nobody wrote.
std::byte *access(Warp &warp, ptx::Space space, uint64_t address, uint32_t bytes, AccessKind kind, int lane,
                  uint32_t alignment = 0);

/// The same for asynchronous operations, which belong to no lane: shared memory by 32-bit address (rank << 24
/// | offset), and global memory. `isRead`: otherwise written. Also checks for Unwritten and marks.
std::byte *sharedBytes(Cluster &cluster, uint32_t address, uint32_t bytes, bool isRead);
std::byte *globalBytes(Cluster &cluster, uint64_t address, uint32_t bytes, bool isRead);

/// The state (ByteState) of shared bytes; null with Checks::Off. The range has been checked.
uint8_t *sharedState(Cluster &cluster, uint32_t address);

/// The state of a lane's bytes, which have been accessed; null where they are not local memory (Generic: by
/// the window), and where nothing is known of them: without Checks::Strict, and in the stack of alloca.
uint8_t *localState(Warp &warp, ptx::Space space, uint64_t address, int lane);

/// A 32-bit shared address of an operand: 64-bit generic addresses of the window lose their upper half.
inline uint32_t sharedAddress(uint64_t address) { return uint32_t(address); }

/// Checks::Strict: a dependent launch, no thread of whose cluster has waited for the grids in front
/// (griddepcontrol.wait): what these write may not be there yet.
inline bool mayPrecedeGrids(const Cluster &cluster) {
  const Grid &grid = *cluster.grid;
  return grid.launch->isDependent && !cluster.hasAwaitedGrids && grid.options->checks == Checks::Strict;
}

ptx::Space spaceOf(uint64_t genericAddress); // Global, Shared, Local or Param, by the window

} // namespace mxc::sim
