#include "runtime/simulator/driver/Chips.h"

#include <algorithm>

namespace mxc::sim {

const Chip *chipFor(std::string_view target) {
  std::optional<TargetName> name = TargetName::parse(target);
  return name ? simulatedChip(*name) : nullptr;
}

bool runs(const Chip &chip, std::string_view target) {
  std::optional<TargetName> name = TargetName::parse(target);
  return name && name->ptxRunsOn(chip.target);
}

std::vector<int> multiprocessorsPerGpc(const Chip &chip, int multiprocessors) {
  std::vector<int> result(static_cast<size_t>(chip.device.gpcs), 0);
  for (size_t i = 0; multiprocessors > 0; i = (i + 1) % result.size()) {
    int pair = std::min(multiprocessors, 2); // a TPC
    result[i] += pair;
    multiprocessors -= pair;
  }
  return result;
}

} // namespace mxc::sim
