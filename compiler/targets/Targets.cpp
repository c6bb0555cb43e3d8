#include "compiler/targets/Families.h"

#include <algorithm>
#include <vector>

namespace mxc {

static const TileLists &tilesOf(Family family) {
  switch (family) {
  case Family::Hopper:
    return kHopperTiles;
  case Family::Blackwell10:
    return kBlackwell10Tiles;
  case Family::Blackwell12:
    return kBlackwell12Tiles;
  }
  __builtin_unreachable();
}

static Target targetOf(const Chip &chip) {
  Target target{chip, tilesOf(chip.family)};
  if (!chip.hasInstructionsOf96) target.wideTiles = target.wideCandidates = {};
  return target;
}

std::span<const Target *const> allTargets() {
  static const std::vector<const Target *> all = [] {
    static std::vector<Target> targets;
    std::vector<const Target *> pointers;
    for (const Chip &chip : allChips())
      targets.push_back(targetOf(chip));
    for (const Target &target : targets)
      pointers.push_back(&target);
    return pointers;
  }();
  return all;
}

const Target *targetNamed(std::string_view name) {
  for (const Target *target : allTargets())
    if (target->name == name) return target;
  return nullptr;
}

} // namespace mxc
