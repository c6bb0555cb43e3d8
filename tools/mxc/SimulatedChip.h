// The chip that a command line names.
#pragma once

#include "runtime/simulator/driver/Chips.h"

#include <string>

namespace mxc {

/// Throws mxc::Error (Usage), which begins with `what` and names the chips that there are.
const Chip &requireChip(const std::string &what, const std::string &target);

} // namespace mxc
