// Variants that launches of known sizes take: the others need not be compiled.
#pragma once

#include "compiler/Compiler.h"

#include <string>

namespace mxc {

/// Keeps of each kernel's variants those that one of the launches takes, wherever its tensors lie, and the
/// last one, which takes every launch. A kernel that none of them names keeps all. Returns what is wrong with
/// a launch: a kernel that is not there, a dimension without a value; "" if nothing is.
std::string keepExpected(ModuleAbi &abi, const std::vector<ExpectedLaunch> &launches);

} // namespace mxc
