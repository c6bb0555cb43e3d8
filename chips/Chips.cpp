#include "chips/Chip.h"

#include <algorithm>
#include <iterator>

namespace mxc {

namespace {

constexpr int kKiB = 1 << 10, kMiB = 1 << 20;
constexpr uint64_t kGiB = uint64_t(1) << 30;

// Each row is a constant, from which later rows begin.
#define ROW(row, parent, identify, ...)                                                                      \
  constexpr Chip row = [] {                                                                                  \
    Chip c = parent;                                                                                         \
    identify;                                                                                                \
    __VA_ARGS__                                                                                              \
    return c;                                                                                                \
  }();
#define NAMED(row) c.name = c.llvmChip = #row, c.target = #row, c.device.name = {}
#define FAMILY(row, parent, ...) ROW(row, parent, , __VA_ARGS__)
#define CHIP(row, parent, ...) ROW(row, parent, NAMED(row), __VA_ARGS__)
#define IMAGE(row, parent, ...) ROW(row, parent, NAMED(row), __VA_ARGS__)
#include "chips/Chips.def"

constexpr Chip kChips[] = {
#define CHIP(row, ...) row,
#define IMAGE(row, ...) row,
#include "chips/Chips.def"
};

template <class Name> std::string joined(Name nameOf) {
  std::string names;
  for (const Chip &chip : kChips)
    if (std::string name = nameOf(chip); !name.empty()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// The family is the whole major, or begins at a later chip of it.
std::string chipsOfImage(TargetName target) {
  const std::string all = std::to_string(target.major()) + ".x";
  return target.minor()
             ? all + " from " + std::to_string(target.major()) + "." + std::to_string(target.minor()) + " on"
             : all;
}

// A chip has a device, an image for several has none.
static_assert(std::ranges::all_of(kChips, [](const Chip &chip) {
  return chip.isSimulated() == (chip.target.suffix == 'a') && !chip.product.empty();
}));

} // namespace

std::span<const Chip> allChips() { return kChips; }

const Chip *chipNamed(std::string_view name) {
  auto found = std::ranges::find(kChips, name, &Chip::name);
  return found == std::end(kChips) ? nullptr : found;
}

const Chip *simulatedChip(TargetName target) {
  auto found = std::ranges::find_if(
      kChips, [&](const Chip &chip) { return chip.isSimulated() && chip.target.isSameChip(target); });
  return found == std::end(kChips) ? nullptr : found;
}

std::string compiledChipNames() {
  return joined([](const Chip &chip) {
    return std::string(chip.name) + (chip.target.suffix == 'f' ? " (" + chipsOfImage(chip.target) + ")" : "");
  });
}

std::string simulatedChipNames() {
  return joined([](const Chip &chip) { return std::string(chip.isSimulated() ? chip.name : ""); });
}

} // namespace mxc
