#include "tools/mxc/SimulatedChip.h"

#include "dialect/formats/Error.h"

namespace mxc {

const sim::Chip &requireChip(const std::string &what, const std::string &target) {
  if (const sim::Chip *chip = sim::chipNamed(target)) return *chip;
  std::string names;
  for (const sim::Chip &known : sim::chips())
    names += (names.empty() ? "" : ", ") + known.target.text();
  throw Error(ErrorKind::Usage, what + ": expected one of " + names + ", found '" + target + "'");
}

} // namespace mxc
