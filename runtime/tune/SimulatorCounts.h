// A simulated chip's counts, for the tuner.
#pragma once

#include "runtime/tune/LaunchCounts.h"

#include <string>

namespace mxc::tune {

/// Makes the simulator of `target` count from now on.
TakeCounts countsOfSimulator(const std::string &target);

} // namespace mxc::tune
