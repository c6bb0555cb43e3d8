// What a timeline calls the warps and the mbarriers of a kernel that mxc compiled.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "runtime/simulator/Options.h"

namespace mxc {

/// Sets Options::sharedNames ("operands full 2") and warpNames ("load") from the variant's regions and roles.
void nameParts(const AbiVariant &variant, sim::Options &options);

} // namespace mxc
