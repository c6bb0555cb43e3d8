// An ABI record as people read it.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include "tools/mxc/CubinResources.h"

#include <string>

namespace mxc {

/// `resources`: of its entries, where the image holds machine code.
std::string recordText(const ModuleAbi &record, const CubinResources &resources = {});

} // namespace mxc
