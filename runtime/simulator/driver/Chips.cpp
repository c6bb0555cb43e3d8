#include "runtime/simulator/driver/Chips.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace mxc::sim {

static constexpr uint64_t kGiB = uint64_t(1) << 30;
static constexpr int kMiB = 1 << 20, kKiB = 1 << 10;

// H200: as driver 580 reports one. The others: CUDA programming guide, compute capabilities; NVIDIA's data
// sheets.
static constexpr Chip kChips[] = {
    {.target = "sm_90a",
     .name = "NVIDIA H200 (simulated)",
     .major = 9,
     .minor = 0,
     .multiprocessors = 132,
     .gpcs = 8,
     .sharedBytesPerMultiprocessor = 228 * kKiB,
     .sharedBytesPerBlockOptIn = 227 * kKiB,
     .threadsPerMultiprocessor = 2048,
     .blocksPerMultiprocessor = 32,
     .clockKilohertz = 1980000,
     .memoryClockKilohertz = 3201000,
     .memoryBusBits = 6144,
     .l2Bytes = 60 * kMiB,
     .memoryBytes = 140 * kGiB,
     .maximumClusterSize = 16},
    {.target = "sm_100a",
     .name = "NVIDIA B200 (simulated)",
     .major = 10,
     .minor = 0,
     .multiprocessors = 148,
     .gpcs = 8,
     .sharedBytesPerMultiprocessor = 228 * kKiB,
     .sharedBytesPerBlockOptIn = 227 * kKiB,
     .threadsPerMultiprocessor = 2048,
     .blocksPerMultiprocessor = 32,
     .clockKilohertz = 1965000,
     .memoryClockKilohertz = 3996000,
     .memoryBusBits = 8192,
     .l2Bytes = 126 * kMiB,
     .memoryBytes = 178 * kGiB,
     .maximumClusterSize = 16},
    {.target = "sm_103a",
     .name = "NVIDIA B300 (simulated)",
     .major = 10,
     .minor = 3,
     .multiprocessors = 148,
     .gpcs = 8,
     .sharedBytesPerMultiprocessor = 228 * kKiB,
     .sharedBytesPerBlockOptIn = 227 * kKiB,
     .threadsPerMultiprocessor = 2048,
     .blocksPerMultiprocessor = 32,
     .clockKilohertz = 1920000,
     .memoryClockKilohertz = 3996000,
     .memoryBusBits = 8192,
     .l2Bytes = 126 * kMiB,
     .memoryBytes = 268 * kGiB,
     .maximumClusterSize = 16},
    {.target = "sm_120a",
     .name = "NVIDIA GeForce RTX 5090 (simulated)",
     .major = 12,
     .minor = 0,
     .multiprocessors = 170,
     .gpcs = 11,
     .sharedBytesPerMultiprocessor = 100 * kKiB,
     .sharedBytesPerBlockOptIn = 99 * kKiB,
     .threadsPerMultiprocessor = 1536,
     .blocksPerMultiprocessor = 24,
     .clockKilohertz = 2407000,
     .memoryClockKilohertz = 14001000,
     .memoryBusBits = 512,
     .l2Bytes = 96 * kMiB,
     .memoryBytes = 32 * kGiB,
     .maximumClusterSize = 8},
};

std::span<const Chip> chips() { return kChips; }

struct Target {
  int major, minor;
  char suffix; // 'a', 'f' or 0
};

static std::optional<Target> parseTarget(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  Target target{0, 0, 0};
  if (text.ends_with('a') || text.ends_with('f')) target.suffix = text.back(), text.remove_suffix(1);
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 10) return std::nullopt;
  target.major = number / 10, target.minor = number % 10;
  return target;
}

const Chip *chipNamed(std::string_view target) {
  auto parsed = parseTarget(target);
  if (!parsed) return nullptr;
  auto found = std::find_if(std::begin(kChips), std::end(kChips), [&](const Chip &chip) {
    return chip.major == parsed->major && chip.minor == parsed->minor;
  });
  return found == std::end(kChips) ? nullptr : found;
}

bool runs(const Chip &chip, std::string_view target) {
  auto parsed = parseTarget(target);
  if (!parsed) return false;
  auto [major, minor, suffix] = *parsed;
  if (suffix == 'a') return major == chip.major && minor == chip.minor;
  if (suffix == 'f') return major == chip.major && minor <= chip.minor;
  return major < chip.major || (major == chip.major && minor <= chip.minor);
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
