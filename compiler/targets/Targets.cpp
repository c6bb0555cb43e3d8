#include "compiler/targets/Chips.h"

#include <array>

namespace mxc {

static constexpr std::array<const Target *, 7> kTargets = {&kSm90a,  &kSm100a, &kSm103a, &kSm100f,
                                                           &kSm120a, &kSm121a, &kSm120f};

std::span<const Target *const> allTargets() { return kTargets; }

const Target *targetNamed(std::string_view name) {
  for (const Target *target : kTargets)
    if (target->name == name) return target;
  return nullptr;
}

bool joinsParts(const Target &target, int64_t rows, int64_t groups, bool areCodesAlongRows) {
  const JoinedParts &of = target.joinedParts;
  return rows <= of.fewRows * groups ? of.ofFew && areCodesAlongRows : of.ofMany;
}

} // namespace mxc
