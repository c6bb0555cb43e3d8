// Where lanes that part at a branch meet again: the branch's immediate post-dominator.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <cstdint>
#include <vector>

namespace mxc::sim::ptx {

inline constexpr uint32_t kAtExit = ~0u;

/// For every instruction that branches: the first instruction of the immediate post-dominator of its block,
/// or kAtExit if only the exit is common to its ways. For every other instruction: kAtExit.
std::vector<uint32_t> reconvergencePoints(const Function &function);

} // namespace mxc::sim::ptx
