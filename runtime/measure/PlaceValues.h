// Places by which kernels find their rows in a measurement: the ends of groups, an index.
#pragma once

#include "runtime/launch/ArgumentShapes.h"

#include <optional>
#include <vector>

namespace mxc::measure {

/// Returns for the kernel's `ends` groups that differ from rows / groups by up to a sixteenth and cover all
/// rows; for its `gather` random rows of the inputs; nullopt if `argument` holds no such places.
std::optional<std::vector<int32_t>> placesOf(const KernelAbi &kernel, const AbiArgument &argument,
                                             const Dimensions &dimensions);

} // namespace mxc::measure
