// Places to measure kernels with that find their rows by them: the ends of groups, an index.
#pragma once

#include "runtime/launch/ArgumentShapes.h"

#include <optional>
#include <vector>

namespace mxc::measure {

/// Of the kernel's `ends`: groups that differ from rows / groups by up to a sixteenth, all rows theirs; of
/// its `gather`: rows of the inputs at random. nullopt: `argument` holds no such places.
std::optional<std::vector<int32_t>> placesOf(const KernelAbi &kernel, const AbiArgument &argument,
                                             const Dimensions &dimensions);

} // namespace mxc::measure
