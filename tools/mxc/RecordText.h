// An ABI record as people read it.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>

namespace mxc {

std::string recordText(const ModuleAbi &record);

} // namespace mxc
