// What a call passes, and functions that every CUDA program may call without defining them.
#pragma once

#include "runtime/simulator/machine/Warp.h"

#include <string_view>

namespace mxc::sim {

struct Call : InstructionData {
  const std::string *function = nullptr;          // null: by address, in rows[0]
  std::vector<ParameterPlace> arguments, results; // in the caller
};

inline const Call &callOf(const Instruction &i) { return static_cast<const Call &>(*i.data); }

/// vprintf, __assertfail, malloc, free, ..: null for what is none of them.
Handler systemFunction(std::string_view name);

} // namespace mxc::sim
