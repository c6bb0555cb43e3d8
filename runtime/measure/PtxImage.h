// A kernel that is written as PTX, with its ABI: an image like a compiled one.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>

namespace mxc::measure {

/// For devices of `target`, by their driver's assembler. `version`: of the PTX, "8.0".
std::string ptxImage(const std::string &version, const std::string &target, const KernelAbi &kernel,
                     const std::string &entries);

} // namespace mxc::measure
