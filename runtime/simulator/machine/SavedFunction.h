// What a function holds, put aside while it is called again: registers and local memory of all lanes.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

std::vector<std::byte> saveFunction(const Warp &warp, const FunctionPlace &function);
void restoreFunction(Warp &warp, const FunctionPlace &function,
                     const std::vector<std::byte> &saved); // of warp.mask's lanes

} // namespace mxc::sim
