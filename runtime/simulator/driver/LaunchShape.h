// Grid, block, cluster and shared memory of a launch, held against what the kernel and the chip allow.
#pragma once

#include "runtime/simulator/driver/LoadedImage.h"

namespace mxc::sim {

struct LaunchShape {
  std::array<uint32_t, 3> grid{}, block{}, cluster{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  bool isCooperative = false, isClusterExplicit = false, isDependent = false;
  uint32_t blockThreads() const { return block[0] * block[1] * block[2]; }
  uint32_t clusterBlocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

enum class GridCheck : uint8_t {
  Whole,
  AnySize
}; // AnySize: occupancy asks, for a grid that is not known yet

/// Reads the attributes too; those that only concern speed or order are accepted. Throws Refusal:
/// INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES, INVALID_CLUSTER_SIZE, COOPERATIVE_LAUNCH_TOO_LARGE.
LaunchShape checkedShape(const SimulatedDevice &device, const Function &function,
                         const CUlaunchConfig &config, GridCheck check = GridCheck::Whole);

} // namespace mxc::sim
