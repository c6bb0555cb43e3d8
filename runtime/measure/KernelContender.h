// Prepares a kernel's launches on sets of tensors, so that only the driver's call is timed.
#pragma once

#include "runtime/launch/Kernel.h"
#include "runtime/measure/Measurement.h"
#include "runtime/measure/TensorSets.h"

namespace mxc::measure {

/// `options` are those of Kernel::prepare. All sets share one workspace, because launches on a stream follow
/// each other. The sets must outlive the contender. Throws what Kernel::prepare throws.
Contender contenderOf(const Kernel &kernel, const TensorSets &sets, const std::string &name,
                      const LaunchOptions &options = {});

} // namespace mxc::measure
