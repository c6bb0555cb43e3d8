// Where lanes that part at a branch meet again: the branch's immediate post-dominator.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mxc::sim::ptx {

inline constexpr uint32_t kAtExit = ~0u;

/// Where a branch may go: a function's instructions. None for any other instruction.
std::span<const uint32_t> targetsOf(const Function &function, const Instruction &instruction);

/// For every instruction that branches: the first instruction of the immediate post-dominator of its block,
/// or kAtExit if only the exit is common to its ways. For every other instruction: kAtExit. Throws mxc::Error
/// (InvalidInput) if its branches name more than 2^24 targets in all.
std::vector<uint32_t> reconvergencePoints(const Function &function);

} // namespace mxc::sim::ptx
