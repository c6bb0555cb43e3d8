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

/// What an operation under fastmath<afn> does with a subnormal. Values next to the smallest normal number may
/// be either to the chip, whose approximations are a few ulp off.
enum class Flush : uint8_t {
  Below, // what is surely subnormal becomes zero
  About, // what may be subnormal becomes zero
};

struct PrologueInstruction {
  using Compute = uint64_t (*)(const PrologueInstruction &, const uint64_t *operands);
  Compute compute = nullptr;
  PrologueType type, operandType; // of the result and of the first operand
  unsigned predicate = 0;         // arith.cmpf, arith.cmpi: MLIR's number
  Flush flush = Flush::Below;
  std::array<unsigned, 3> operands{}; // slots
  unsigned result = 0;                // slot
};

struct PrologueOperation {
  std::string_view name; // "arith.addf"
  PrologueInstruction::Compute compute;
  bool isExact; // correctly rounded or an integer operation: the same bits everywhere
  PrologueInstruction::Compute approximation =
      nullptr; // of f32 under fastmath<afn>, where it flushes subnormals
};

/// Null if the name is not in the table.
const PrologueOperation *prologueOperationNamed(std::string_view name);

} // namespace mxc
