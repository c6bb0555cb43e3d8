// What a simulated chip counts, for the tuner.
#pragma once

#include "runtime/tune/LaunchCounts.h"

#include <string>

namespace mxc::tune {

/// Has the simulator of `target` count from now on.
TakeCounts countsOfSimulator(const std::string &target);

} // namespace mxc::tune
