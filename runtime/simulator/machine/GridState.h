// Clusters come into being and go.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// A cluster ready to run: memory zeroed or unwritten, warps at the first instruction, their constant rows
/// filled in.
std::unique_ptr<Cluster> makeCluster(Grid &grid, uint64_t index);
/// Shared memory of a CTA that the kernel and the launch ask for; and the offset of what CUDA reserves for
/// itself, after it here.
uint64_t sharedBytesOf(const Grid &grid);
uint64_t reservedSharedOffset(const Grid &grid);

/// How much of the host's memory it takes, nearly.
uint64_t clusterBytes(const Grid &grid);
/// Ends it; others of the grid use its memory.
void recycle(std::unique_ptr<Cluster> cluster);

/// Where a lane's thread is: %tid.
std::array<uint32_t, 3> threadOf(const Warp &warp, int lane);

} // namespace mxc::sim
