// What a family's decode function works with: one instruction's words and operands.
#pragma once

#include "dialect/formats/TargetName.h"
#include "runtime/simulator/machine/Program.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace mxc::sim {

// Operand types.
inline constexpr ptx::Type kTypePredicate{ptx::Type::Kind::Predicate, 1}, kTypeB16{ptx::Type::Kind::Bits, 16},
    kTypeB32{ptx::Type::Kind::Bits, 32}, kTypeB64{ptx::Type::Kind::Bits, 64},
    kTypeB128{ptx::Type::Kind::Bits, 128}, kTypeS32{ptx::Type::Kind::Signed, 32},
    kTypeF32{ptx::Type::Kind::Float, 32}, kTypeF64{ptx::Type::Kind::Float, 64};

/// Thrown by decode functions; the instruction then faults when executed, with this text.
struct Unsupported : std::exception {
  explicit Unsupported(std::string text) : message(std::move(text)) {}
  const char *what() const noexcept override { return message.c_str(); }
  std::string message;
};

class ProgramBuilder;

class Decoder {
public:
  Decoder(ProgramBuilder &builder, const ptx::Instruction &source, Instruction &out);

  const ptx::Instruction &source() const { return source_; }
  TargetName chip() const; // that the program is for
  [[noreturn]] void fail(const std::string &why) const;

  // Modifiers. Each is taken once; finish() fails if any is left, so that nothing is ignored by accident.
  bool take(std::string_view modifier);
  std::string_view takeOneOf(std::initializer_list<std::string_view> modifiers); // "" if none is there
  void ignore(std::initializer_list<std::string_view> modifiers);                // cache hints and the like
  bool takePrefix(std::string_view prefix, std::string &whole);                  // "L2::128B" by "L2::"
  ptx::Type takeType(); // the first type word; fails if there is none
  std::optional<ptx::Type> takeTypeIfAny();
  void finish();

  // Operands, counted from 0.
  size_t operandCount() const { return source_.operands.size(); }
  const ptx::Operand &operand(size_t index) const; // fails if there is none
  bool isSink(size_t index) const;

  /// A row to read, of exactly type.bytes() a lane (a predicate's for "pred"). Immediates become rows of that
  /// type; a register must have that size, except a wider one for 8-bit types or where allowWider.
  uint32_t read(size_t index, ptx::Type type) { return read(operand(index), type).offset; }
  Row read(const ptx::Operand &operand, ptx::Type type, bool allowWider = false);
  uint32_t write(size_t index, ptx::Type type) { return write(operand(index), type).offset; }
  Row write(const ptx::Operand &operand, ptx::Type type,
            bool allowWider = false); // a sink gives a scratch row
  /// The same of an operand that may select a part of its register ("%r1.b0"): video instructions alone have
  /// these.
  uint32_t readSelected(size_t index, ptx::Type type);
  uint32_t writeSelected(size_t index, ptx::Type type);
  uint32_t readPredicate(size_t index, bool &isNegated); // `p`, `!p`, or an immediate 0 / -1
  int64_t integer(size_t index) const;                   // an integer literal, else fails
  Address address(size_t index) { return address(operand(index)); }
  Address address(const ptx::Operand &operand); // an Address operand; the base may be a symbol
  uint32_t scratch(uint32_t bytes);             // a row of its own
  uint32_t carryRow();                          // CC.CF of the kernel's lanes: a predicate's row
  ProgramBuilder &builder() { return builder_; }

private:
  void requireWholeRegister(const ptx::Operand &operand) const;

  ProgramBuilder &builder_;
  const ptx::Instruction &source_;
  Instruction &out_;
  std::vector<std::string_view> left_; // modifiers not yet taken
};

/// "" or why `source` cannot be executed, of an instruction that decodeInstruction has seen.
std::string refusalOf(const Instruction &instruction);

} // namespace mxc::sim
