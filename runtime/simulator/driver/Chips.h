// The chips that the simulator stands for: the rows of chips/Chips.def that have a device.
#pragma once

#include "chips/Chip.h"

#include <string_view>
#include <vector>

namespace mxc::sim {

/// The simulated chip whose kernels are for `target` ("sm_100a", or with another suffix or none); null if
/// there is none.
const Chip *chipFor(std::string_view target);

/// Whether it runs PTX whose `.target` is that; no chip runs what is no target.
bool runs(const Chip &chip, std::string_view target);

/// Multiprocessors of each GPC, if the chip has `multiprocessors` of them.
std::vector<int> multiprocessorsPerGpc(const Chip &chip, int multiprocessors);

} // namespace mxc::sim
