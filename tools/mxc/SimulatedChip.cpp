#include "tools/mxc/SimulatedChip.h"

#include "dialect/formats/Error.h"

namespace mxc {

const Chip &requireChip(const std::string &what, const std::string &target) {
  if (const Chip *chip = sim::chipFor(target)) return *chip;
  throw Error(ErrorKind::Usage,
              what + ": expected one of " + simulatedChipNames() + ", found '" + target + "'");
}

} // namespace mxc
