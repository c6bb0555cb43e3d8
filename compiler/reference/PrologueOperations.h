// The operations that a prologue may hold, as host functions: a table of rows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mxc {

/// A value's type. Floats are held as the bits of an f32 (bf16 and f16 exactly so), integers zero-extended.
struct PrologueType {
  enum class Kind : uint8_t { F32, BF16, F16, Integer } kind = Kind::F32;
  unsigned bits = 32;
};

/// Which result of an operation under fastmath<afn>, of those that the chip may have.
enum class Approximation : uint8_t {
  Nearest, // the exact one; what is surely subnormal is zero
  Flushed, // what may be subnormal is zero
  Larger,  // what is far less exact than f32, as large as it may be: math.tanh
};

struct PrologueInstruction {
  using Compute = uint64_t (*)(const PrologueInstruction &, const uint64_t *operands);
  Compute compute = nullptr;
  PrologueType type, operandType; // of the result and of the first operand
  unsigned predicate = 0;         // arith.cmpf, arith.cmpi: MLIR's number
  Approximation approximation = Approximation::Nearest;
  std::array<unsigned, 3> operands{}; // slots
  unsigned result = 0;                // slot
};

struct PrologueOperation {
  std::string_view name; // "arith.addf"
  PrologueInstruction::Compute compute;
  bool isExact; // correctly rounded or an integer operation: the same bits everywhere
  PrologueInstruction::Compute approximation =
      nullptr; // of f32 under fastmath<afn>, where Approximation matters
};

/// Null if the name is not in the table.
const PrologueOperation *prologueOperationNamed(std::string_view name);

} // namespace mxc
