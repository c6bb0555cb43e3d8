// What a function holds, put aside while it is called again: registers and local memory of all lanes. What it
// returns, on the way to its caller.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

std::vector<std::byte> saveFunction(const Warp &warp, const FunctionPlace &function);
void restoreFunction(Warp &warp, const FunctionPlace &function,
                     const std::vector<std::byte> &saved); // of warp.mask's lanes

/// Of warp.mask's lanes: the results out of the function's variables, and into the caller's.
std::vector<std::byte> takeResults(Warp &warp, const FunctionPlace &function);
void giveResults(Warp &warp, const FunctionPlace &function, const std::vector<LocalRange> &to,
                 const std::vector<std::byte> &results);

} // namespace mxc::sim
