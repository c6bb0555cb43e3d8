// Under which name and in which class --stats counts an instruction.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <string>
#include <string_view>

namespace mxc::sim {

/// The opcode, and the modifier that tells most: "ld.global", "add.s32", "cp.bulk", "bar".
std::string opcodeName(const ptx::Instruction &source);

/// Of such a name: "integer", "float", "compare", "convert", "move", "memory", "atomic", "warp", "control",
/// "synchronization", "copy", "tensor" or "other".
std::string_view instructionClass(std::string_view opcodeName);

} // namespace mxc::sim
