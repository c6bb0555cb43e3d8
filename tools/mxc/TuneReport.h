// What tuning found, for people and for programs.
#pragma once

#include "runtime/tune/Tuner.h"

#include <string>

namespace mxc {

/// A table a shape: the fastest first, then those that do not compete, with the reason.
std::string tuningText(const Device &device, const tune::Candidates &candidates, const tune::Tuning &tuning);
std::string tuningJson(const Device &device, const tune::Candidates &candidates, const tune::Tuning &tuning);

} // namespace mxc
