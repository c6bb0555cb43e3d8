// The chips that the simulator stands for, as data.
#pragma once

#include "dialect/formats/TargetName.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mxc::sim {

/// What chips of a compute capability have alike.
struct ChipLimits {
  int sharedBytesPerMultiprocessor, sharedBytesPerBlockOptIn;
  int threadsPerMultiprocessor, blocksPerMultiprocessor;
  int clusterSize; // non-portable; 8 is portable
};

struct Chip {
  TargetName target;     // "sm_100a": what kernels for it are compiled for
  std::string_view name; // "B200 (simulated)"
  int multiprocessors;
  int gpcs; // the clusters of a launch each lie within one of these; multiprocessors spread over them evenly,
            // in pairs
  ChipLimits limits;
  int clockKilohertz, memoryClockKilohertz, memoryBusBits;
  int l2Bytes;
  uint64_t memoryBytes;
};

std::span<const Chip> chips();

/// The chip whose kernels are for `target` ("sm_100a", or without its suffix); null if there is none.
const Chip *chipNamed(std::string_view target);

/// Whether it runs PTX whose `.target` is that; no chip runs what is no target.
bool runs(const Chip &chip, std::string_view target);

/// Multiprocessors of each GPC, if the chip has `multiprocessors` of them.
std::vector<int> multiprocessorsPerGpc(const Chip &chip, int multiprocessors);

} // namespace mxc::sim
