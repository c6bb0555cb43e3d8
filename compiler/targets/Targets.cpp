#include "compiler/targets/Chips.h"

#include "chips/Chip.h"

#include <vector>

namespace mxc {

static const Target &familyOf(const Chip &chip) {
  switch (chip.family) {
  case Family::Hopper:
    return kHopper;
  case Family::Blackwell10:
    return kBlackwell10;
  case Family::Blackwell12:
    return kBlackwell12;
  }
  __builtin_unreachable();
}

static Target targetOf(const Chip &chip) {
  Target target = familyOf(chip);
  target.name = chip.name;
  target.product = chip.product;
  target.computeMajor = chip.target.major();
  target.computeMinor = chip.target.minor();
  target.llvmChip = chip.llvmChip;
  target.llvmFeatures = chip.llvmFeatures;
  target.maxSharedBytes = chip.maxSharedBytes;
  target.maxVectorBytes = chip.maxVectorBytes;
  target.hasBulkTensor = chip.hasBulkTensor;
  target.tensorColumns = chip.tensorColumns;
  target.scaledConversionPtx = chip.scaledConversionPtx;
  target.packedConversionPtx = chip.packedConversionPtx;
  target.hasNarrowConversions = chip.hasNarrowConversions;
  target.hasStochasticConversions = chip.hasStochasticConversions;
  if (!chip.hasInstructionsOf96) target.wideTiles = target.wideCandidates = {};
  return target;
}

std::span<const Target *const> allTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> made;
    for (const Chip &chip : allChips())
      made.push_back(targetOf(chip));
    return made;
  }();
  static const std::vector<const Target *> pointers = [] {
    std::vector<const Target *> all;
    for (const Target &target : targets)
      all.push_back(&target);
    return all;
  }();
  return pointers;
}

const Target *targetNamed(std::string_view name) {
  for (const Target *target : allTargets())
    if (target->name == name) return target;
  return nullptr;
}

bool joinsParts(const Target &target, int64_t rows, int64_t groups, bool areCodesAlongRows) {
  const JoinedParts &of = target.joinedParts;
  return rows <= of.fewRows * groups ? of.ofFew && areCodesAlongRows : of.ofMany;
}

} // namespace mxc
