// Makes an image, like a compiled one, from a kernel that is written as PTX.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>

namespace mxc::measure {

/// Makes it for devices of `target`, whose driver assembles it. `version` is the PTX's, "8.0".
std::string ptxImage(const std::string &version, const std::string &target, const KernelAbi &kernel,
                     const std::string &entries);

} // namespace mxc::measure
