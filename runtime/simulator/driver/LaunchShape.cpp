#include "runtime/simulator/driver/LaunchShape.h"

#include "runtime/simulator/driver/Occupancy.h"
#include "runtime/simulator/driver/Refusal.h"
#include "runtime/simulator/driver/SimulatedDevice.h"

#include <climits>

namespace mxc::sim {

using Extent = std::array<uint32_t, 3>;

static void checkGrid(const Extent &grid) {
  constexpr Extent kMaximum{INT_MAX, 65535, 65535};
  for (size_t axis = 0; axis < 3; ++axis)
    require(grid[axis] >= 1 && grid[axis] <= kMaximum[axis]);
}

static void checkBlock(const Extent &block, const KernelFacts &facts) {
  constexpr Extent kMaximum{1024, 1024, 64};
  uint64_t threads = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    require(block[axis] >= 1 && block[axis] <= kMaximum[axis]);
    uint32_t required = facts.requiredThreads[axis];
    require(!required || block[axis] == required);
    threads *= block[axis];
  }
  require(threads <= 1024);
  require(threads <= facts.maximumThreads, CUDA_ERROR_INVALID_VALUE);
}

static void readAttribute(const CUlaunchAttribute &attribute, LaunchShape &shape, Extent &cluster) {
  const CUlaunchAttributeValue &value = attribute.value;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    require(cluster[0] && cluster[1] && cluster[2], CUDA_ERROR_INVALID_CLUSTER_SIZE);
  } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    shape.isCooperative = value.cooperative != 0;
  } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
    shape.isDependent = value.programmaticStreamSerializationAllowed != 0;
  }
  // Launches follow each other: priorities, policies and domains change nothing.
}

static void checkCluster(const SimulatedDevice &device, const Function &function, const LaunchShape &shape) {
  constexpr uint32_t kPortableBlocks = 8; // CUDA programming guide, thread block clusters
  uint32_t allowed = function.settings.isNonPortableClusterAllowed
                         ? static_cast<uint32_t>(device.chip().limits.clusterSize)
                         : kPortableBlocks;
  uint64_t blocks = 1;
  for (uint32_t extent : shape.cluster) {
    require(extent <= allowed, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    blocks *= extent;
  }
  require(blocks <= allowed, CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

/// How many CTAs of a launch the chip holds at a time.
static uint64_t residentBlocks(const SimulatedDevice &device, const KernelFacts &facts,
                               const LaunchShape &shape) {
  const uint32_t threads = shape.blockThreads(), shared = shape.dynamicSharedBytes;
  if (uint32_t blocks = shape.clusterBlocks(); blocks > 1)
    return uint64_t(activeClusters(device, facts, threads, shared, blocks)) * blocks;
  return uint64_t(blocksPerMultiprocessor(device, facts, threads, shared)) *
         uint64_t(device.multiprocessors());
}

LaunchShape checkedShape(const SimulatedDevice &device, const Function &function,
                         const CUlaunchConfig &config, GridCheck check) {
  const KernelFacts &facts = *function.facts;
  LaunchShape shape;
  shape.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  shape.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  shape.dynamicSharedBytes = config.sharedMemBytes;
  require(config.numAttrs == 0 || config.attrs);
  Extent asked{}; // 0: by nobody
  for (unsigned i = 0; i < config.numAttrs; ++i)
    readAttribute(config.attrs[i], shape, asked);

  if (check == GridCheck::Whole) checkGrid(shape.grid);
  checkBlock(shape.block, facts);
  require(shape.dynamicSharedBytes <= static_cast<uint32_t>(function.settings.dynamicSharedBytes.load()));
  require(uint64_t(facts.staticSharedBytes) + shape.dynamicSharedBytes <=
          static_cast<uint64_t>(device.chip().limits.sharedBytesPerBlockOptIn));
  for (size_t axis = 0; axis < 3; ++axis) {
    uint32_t required = facts.requiredCluster[axis];
    require(!required || !asked[axis] || required == asked[axis], CUDA_ERROR_INVALID_CLUSTER_SIZE);
    uint32_t setting = static_cast<uint32_t>(function.settings.cluster[axis].load());
    for (uint32_t choice : {required, asked[axis], setting, 1u})
      if (choice) {
        shape.cluster[axis] = choice;
        break;
      }
    shape.isClusterExplicit |= required || asked[axis] || setting;
  }
  checkCluster(device, function, shape);
  if (check == GridCheck::AnySize) return shape;
  for (size_t axis = 0; axis < 3; ++axis)
    require(shape.grid[axis] % shape.cluster[axis] == 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  if (shape.isCooperative)
    require(shape.blocks() <= residentBlocks(device, facts, shape), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  return shape;
}

} // namespace mxc::sim
