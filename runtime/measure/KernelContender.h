// A kernel's launches on sets of tensors, prepared: what is timed is the driver's call.
#pragma once

#include "runtime/launch/Kernel.h"
#include "runtime/measure/Measurement.h"
#include "runtime/measure/TensorSets.h"

namespace mxc::measure {

/// `options` as Kernel::prepare has them. A workspace is made once for all sets: launches on a stream follow
/// each other. The sets must outlive it. Throws what Kernel::prepare throws.
Contender contenderOf(const Kernel &kernel, const TensorSets &sets, const std::string &name,
                      const LaunchOptions &options = {});

} // namespace mxc::measure
