// How many blocks and clusters of a kernel fit on the chip at a time.
#pragma once

#include "runtime/simulator/driver/LoadedImage.h"

namespace mxc::sim {

/// Blocks of one multiprocessor: the least of what threads, registers, shared memory and the chip's own limit
/// allow.
int blocksPerMultiprocessor(const SimulatedDevice &device, const KernelFacts &facts, uint32_t blockThreads,
                            uint64_t dynamicSharedBytes);

/// Clusters of the whole chip; each lies within one GPC.
int activeClusters(const SimulatedDevice &device, const KernelFacts &facts, uint32_t blockThreads,
                   uint64_t dynamicSharedBytes, uint32_t clusterBlocks);

} // namespace mxc::sim
