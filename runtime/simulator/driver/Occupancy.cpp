#include "runtime/simulator/driver/Occupancy.h"

#include "runtime/simulator/driver/SimulatedDevice.h"

#include <algorithm>

namespace mxc::sim {

static uint64_t roundedUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

// CUDA's occupancy calculator (cuda_occupancy.h), with the granularities of compute capability 9.0 and later.
int blocksPerMultiprocessor(const SimulatedDevice &device, const KernelFacts &facts, uint32_t blockThreads,
                            uint64_t dynamicSharedBytes) {
  constexpr uint64_t kReservedSharedBytes = 1024, kSharedStep = 128, kRegisters = 65536, kRegisterStep = 256;
  const Chip &chip = device.chip();
  if (blockThreads == 0 || blockThreads > facts.maximumThreads) return 0;
  uint64_t warps = roundedUp(blockThreads, 32) / 32;
  uint64_t blocks =
      std::min<uint64_t>(static_cast<uint64_t>(chip.limits.blocksPerMultiprocessor),
                         static_cast<uint64_t>(chip.limits.threadsPerMultiprocessor) / 32 / warps);
  uint64_t askedBytes = facts.staticSharedBytes + dynamicSharedBytes;
  if (askedBytes > static_cast<uint64_t>(chip.limits.sharedBytesPerBlockOptIn)) return 0;
  uint64_t sharedBytes = roundedUp(askedBytes + kReservedSharedBytes, kSharedStep);
  blocks = std::min(blocks, static_cast<uint64_t>(chip.limits.sharedBytesPerMultiprocessor) / sharedBytes);
  if (facts.registers) { // a warp's registers lie in one of four banks
    uint64_t warpRegisters = roundedUp(uint64_t(facts.registers) * 32, kRegisterStep);
    blocks = std::min(blocks, kRegisters / 4 / warpRegisters * 4 / warps);
  }
  return static_cast<int>(blocks);
}

int activeClusters(const SimulatedDevice &device, const KernelFacts &facts, uint32_t blockThreads,
                   uint64_t dynamicSharedBytes, uint32_t clusterBlocks) {
  int perMultiprocessor = blocksPerMultiprocessor(device, facts, blockThreads, dynamicSharedBytes);
  int cluster = static_cast<int>(clusterBlocks), clusters = 0;
  if (!perMultiprocessor || !cluster) return 0;
  for (int multiprocessors : multiprocessorsPerGpc(device.chip(), device.multiprocessors()))
    clusters += multiprocessors * perMultiprocessor / cluster;
  // With few multiprocessors (MXC_SIM_SMS) a cluster may not fit; it runs all the same, and hosts divide by
  // this.
  return std::max(clusters, 1);
}

} // namespace mxc::sim
