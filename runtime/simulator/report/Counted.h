// Under which name and in which class --stats counts an instruction.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <string>
#include <string_view>

namespace mxc::sim {

/// The class: a column of the instruction's row.
enum class Counted : uint8_t {
  Integer,
  TypedInteger, // the same class; the type is part of the name: "add.s32"
  Float,
  TypedFloat,
  Compare,
  Convert,
  Move,
  Memory,
  Atomic,
  Warp,
  Control,
  Synchronization,
  Copy,
  Tensor,
  Other, // what has no row
};

/// Returns the class's name: "integer", "float", "compare", .., "tensor" or "other".
std::string_view nameOf(Counted counted);

/// Returns the opcode, and the modifier that tells most: "ld.global", "add.s32", "cp.bulk", "bar".
std::string opcodeName(const ptx::Instruction &source, Counted counted);

} // namespace mxc::sim
