#include "runtime/simulator/driver/Chips.h"

#include <algorithm>

namespace mxc::sim {

static constexpr uint64_t kGiB = uint64_t(1) << 30;
static constexpr int kMiB = 1 << 20, kKiB = 1 << 10;

// CUDA programming guide, compute capabilities: 9.0 and 10.x are alike.
static constexpr ChipLimits kLimits90 = {.sharedBytesPerMultiprocessor = 228 * kKiB,
                                         .sharedBytesPerBlockOptIn = 227 * kKiB,
                                         .threadsPerMultiprocessor = 2048,
                                         .blocksPerMultiprocessor = 32,
                                         .clusterSize = 16};
static constexpr ChipLimits kLimits120 = {.sharedBytesPerMultiprocessor = 100 * kKiB,
                                          .sharedBytesPerBlockOptIn = 99 * kKiB,
                                          .threadsPerMultiprocessor = 1536,
                                          .blocksPerMultiprocessor = 24,
                                          .clusterSize = 8};

// H200: as driver 580 reports one. The others: CUDA programming guide, compute capabilities; NVIDIA's data
// sheets.
static constexpr Chip kChips[] = {
    {.target = "sm_90a",
     .name = "NVIDIA H200 (simulated)",
     .multiprocessors = 132,
     .gpcs = 8,
     .limits = kLimits90,
     .clockKilohertz = 1980000,
     .memoryClockKilohertz = 3201000,
     .memoryBusBits = 6144,
     .l2Bytes = 60 * kMiB,
     .memoryBytes = 140 * kGiB},
    {.target = "sm_100a",
     .name = "NVIDIA B200 (simulated)",
     .multiprocessors = 148,
     .gpcs = 8,
     .limits = kLimits90,
     .clockKilohertz = 1965000,
     .memoryClockKilohertz = 3996000,
     .memoryBusBits = 8192,
     .l2Bytes = 126 * kMiB,
     .memoryBytes = 178 * kGiB},
    {.target = "sm_103a",
     .name = "NVIDIA B300 (simulated)",
     .multiprocessors = 148,
     .gpcs = 8,
     .limits = kLimits90,
     .clockKilohertz = 1920000,
     .memoryClockKilohertz = 3996000,
     .memoryBusBits = 8192,
     .l2Bytes = 126 * kMiB,
     .memoryBytes = 268 * kGiB},
    {.target = "sm_120a",
     .name = "NVIDIA GeForce RTX 5090 (simulated)",
     .multiprocessors = 170,
     .gpcs = 11,
     .limits = kLimits120,
     .clockKilohertz = 2407000,
     .memoryClockKilohertz = 14001000,
     .memoryBusBits = 512,
     .l2Bytes = 96 * kMiB,
     .memoryBytes = 32 * kGiB},
    {.target = "sm_121a",
     .name = "NVIDIA GB10 (simulated)",
     .multiprocessors = 48,
     .gpcs = 4, // no document tells
     .limits = kLimits120,
     .clockKilohertz = 2418000,
     .memoryClockKilohertz = 4266000,
     .memoryBusBits = 256,
     .l2Bytes = 24 * kMiB,
     .memoryBytes = 119 * kGiB},
};

std::span<const Chip> chips() { return kChips; }

const Chip *chipNamed(std::string_view target) {
  std::optional<TargetName> name = TargetName::parse(target);
  auto found =
      std::ranges::find_if(kChips, [&](const Chip &chip) { return name && chip.target.isSameChip(*name); });
  return found == std::end(kChips) ? nullptr : found;
}

bool runs(const Chip &chip, std::string_view target) {
  std::optional<TargetName> name = TargetName::parse(target);
  return name && name->ptxRunsOn(chip.target);
}

std::vector<int> multiprocessorsPerGpc(const Chip &chip, int multiprocessors) {
  std::vector<int> result(static_cast<size_t>(chip.gpcs), 0);
  for (size_t i = 0; multiprocessors > 0; i = (i + 1) % result.size()) {
    int pair = std::min(multiprocessors, 2); // a TPC
    result[i] += pair;
    multiprocessors -= pair;
  }
  return result;
}

} // namespace mxc::sim
