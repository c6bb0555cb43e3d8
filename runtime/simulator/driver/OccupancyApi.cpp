// cuOccupancy*.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/LaunchShape.h"
#include "runtime/simulator/driver/Occupancy.h"

#include <algorithm>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return api::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                   dynamicSMemSize, 0);
}
CUresult api::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                                   int blockSize, size_t dynamicSMemSize,
                                                                   unsigned) {
  return inContext([&](const ContextPointer &context) {
    require(numBlocks && blockSize > 0);
    auto function = Simulator::instance().function(func);
    *numBlocks = blocksPerMultiprocessor(context->device, *function->facts, static_cast<uint32_t>(blockSize),
                                         dynamicSMemSize);
  });
}

CUresult api::cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit) {
  return api::cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}
// The largest block among those that keep most threads on a multiprocessor.
CUresult api::cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                        CUoccupancyB2DSize sharedOfBlock,
                                                        size_t dynamicSMemSize, int blockSizeLimit,
                                                        unsigned) {
  return inContext([&](const ContextPointer &context) {
    require(minGridSize && blockSize);
    const KernelFacts &facts = *Simulator::instance().function(func)->facts;
    int limit = static_cast<int>(facts.maximumThreads), bestThreads = 0, bestBlocks = 0;
    if (blockSizeLimit > 0) limit = std::min(limit, blockSizeLimit);
    *blockSize = 0;
    for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32) {
      size_t bytes = sharedOfBlock ? sharedOfBlock(threads) : dynamicSMemSize;
      int blocks = blocksPerMultiprocessor(context->device, facts, static_cast<uint32_t>(threads), bytes);
      if (blocks * threads <= bestThreads) continue;
      bestThreads = blocks * threads, bestBlocks = blocks, *blockSize = threads;
    }
    *minGridSize = bestBlocks * context->device.multiprocessors();
  });
}

CUresult api::cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                      int blockSize) {
  return inContext([&](const ContextPointer &context) {
    require(dynamicSmemSize && numBlocks > 0 && blockSize > 0);
    const KernelFacts &facts = *Simulator::instance().function(func)->facts;
    const Chip &chip = context->device.chip();
    // CUDA keeps 1 KiB of each block's
    int64_t each = chip.limits.sharedBytesPerMultiprocessor / numBlocks / 128 * 128 - 1024;
    each = std::min<int64_t>(each, chip.limits.sharedBytesPerBlockOptIn) - facts.staticSharedBytes;
    require(each >= 0 && blocksPerMultiprocessor(context->device, facts, static_cast<uint32_t>(blockSize),
                                                 0) >= numBlocks);
    *dynamicSmemSize = static_cast<size_t>(each);
  });
}

CUresult api::cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                 const CUlaunchConfig *config) {
  return inContext([&](const ContextPointer &context) {
    require(clusterSize && config);
    auto function = Simulator::instance().function(func);
    constexpr int kPortable = 8;
    *clusterSize = function->settings.isNonPortableClusterAllowed ? context->device.chip().limits.clusterSize
                                                                  : kPortable;
  });
}

CUresult api::cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config) {
  return inContext([&](const ContextPointer &context) {
    require(numClusters && config);
    auto function = Simulator::instance().function(func);
    LaunchShape shape = checkedShape(context->device, *function, *config, GridCheck::AnySize);
    *numClusters = activeClusters(context->device, *function->facts, shape.blockThreads(),
                                  shape.dynamicSharedBytes, shape.clusterBlocks());
  });
}

} // namespace mxc::sim
