#include "runtime/simulator/decode/Decoder.h"

#include "runtime/simulator/decode/ProgramBuilder.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Warp.h"

#include <algorithm>

namespace mxc::sim {

using ptx::Operand;
using ptx::Type;

Decoder::Decoder(ProgramBuilder &builder, const ptx::Instruction &source, Instruction &out)
    : builder_(builder), source_(source), out_(out), left_(source.modifiers.begin(), source.modifiers.end()) {
}

TargetName Decoder::chip() const { return builder_.chip(); }

void Decoder::fail(const std::string &why) const { throw Unsupported{source_.spelling() + ": " + why}; }

bool Decoder::take(std::string_view modifier) {
  auto found = std::ranges::find(left_, modifier);
  if (found == left_.end()) return false;
  left_.erase(found);
  return true;
}

std::string_view Decoder::takeOneOf(std::initializer_list<std::string_view> modifiers) {
  for (auto word = left_.begin(); word != left_.end(); ++word)
    for (std::string_view modifier : modifiers)
      if (*word == modifier) {
        left_.erase(word);
        return modifier;
      }
  return {};
}

void Decoder::ignore(std::initializer_list<std::string_view> modifiers) {
  for (std::string_view modifier : modifiers)
    take(modifier);
}

bool Decoder::takePrefix(std::string_view prefix, std::string &whole) {
  for (auto word = left_.begin(); word != left_.end(); ++word)
    if (word->starts_with(prefix)) {
      whole = *word;
      left_.erase(word);
      return true;
    }
  return false;
}

std::optional<Type> Decoder::takeTypeIfAny() {
  for (auto word = left_.begin(); word != left_.end(); ++word)
    if (std::optional<Type> type = ptx::typeNamed(*word)) {
      left_.erase(word);
      return type;
    }
  return std::nullopt;
}

Type Decoder::takeType() {
  std::optional<Type> type = takeTypeIfAny();
  if (!type) fail("a type is missing");
  return *type;
}

void Decoder::finish() {
  if (!left_.empty()) fail("'." + std::string(left_.front()) + "' is not known here");
}

const Operand &Decoder::operand(size_t index) const {
  if (index >= source_.operands.size())
    fail("expected at least " + std::to_string(index + 1) + " operands, found " +
         std::to_string(source_.operands.size()));
  return source_.operands[index];
}

bool Decoder::isSink(size_t index) const { return operand(index).kind == Operand::Kind::Sink; }

static bool isPredicate(Type type) { return type.kind == Type::Kind::Predicate; }

/// The bits of a literal as a value of `type`.
static uint64_t literalBits(const Operand &operand, Type type) {
  bool isFloat = type.kind == Type::Kind::Float && !type.isPacked;
  if (operand.kind == Operand::Kind::Float64 && type.bits == 32) {
    float value = float(__builtin_bit_cast(double, operand.bits));
    return __builtin_bit_cast(uint32_t, value);
  }
  if (operand.kind == Operand::Kind::Float32 && type.bits == 64 && isFloat) {
    double value = __builtin_bit_cast(float, uint32_t(operand.bits));
    return __builtin_bit_cast(uint64_t, value);
  }
  if (operand.kind == Operand::Kind::Integer && isFloat && type.bits == 32) {
    float value = float(operand.bits);
    return __builtin_bit_cast(uint32_t, value);
  }
  if (operand.kind == Operand::Kind::Integer && isFloat && type.bits == 64) {
    double value = double(operand.bits);
    return __builtin_bit_cast(uint64_t, value);
  }
  return uint64_t(operand.bits);
}

void Decoder::requireWholeRegister(const Operand &operand) const {
  if (operand.name.empty()) return;
  fail("a part of a register (." + operand.name + ") is an operand of video instructions alone");
}

Row Decoder::read(const Operand &operand, Type type, bool allowWider) {
  uint32_t bytes = isPredicate(type) ? 0 : type.bytes();
  if (operand.isNegated) fail("a negated operand is not taken here");
  switch (operand.kind) {
  case Operand::Kind::Register: {
    requireWholeRegister(operand);
    Row row = builder_.registerRow(operand.reg);
    bool isWider = row.bytes > bytes && bytes && (allowWider || bytes == 1);
    if (row.bytes != bytes && !isWider)
      fail("expected an operand of " + std::to_string(type.bits) + " bits, found register " +
           builder_.function().registers[operand.reg].name);
    out_.reads.push_back(row);
    return row;
  }
  case Operand::Kind::Integer:
  case Operand::Kind::Float32:
  case Operand::Kind::Float64:
    return {builder_.constant(literalBits(operand, type), bytes), bytes};
  case Operand::Kind::Special:
    return {builder_.special(operand.name, bytes), bytes};
  case Operand::Kind::Symbol:
    return {builder_.symbol(operand, bytes), bytes};
  case Operand::Kind::Vector: // of one element
    if (operand.parts.size() == 1) return read(operand.parts[0], type, allowWider);
    break;
  default:
    break;
  }
  fail("an operand is of a kind that is not taken here");
}

Row Decoder::write(const Operand &operand, Type type, bool allowWider) {
  uint32_t bytes = isPredicate(type) ? 0 : type.bytes();
  if (operand.kind == Operand::Kind::Sink) return {builder_.scratch(bytes), bytes};
  if (operand.kind == Operand::Kind::Vector && operand.parts.size() == 1)
    return write(operand.parts[0], type, allowWider);
  if (operand.kind != Operand::Kind::Register) fail("expected a register to write");
  requireWholeRegister(operand);
  Row row = builder_.registerRow(operand.reg);
  bool isWider = row.bytes > bytes && bytes && (allowWider || bytes == 1);
  if (row.bytes != bytes && !isWider)
    fail("expected a destination of " + std::to_string(type.bits) + " bits, found register " +
         builder_.function().registers[operand.reg].name);
  out_.writes.push_back(row);
  return row;
}

static Operand withoutSelection(Operand operand) {
  if (operand.kind == Operand::Kind::Register) operand.name.clear();
  return operand;
}

uint32_t Decoder::readSelected(size_t index, Type type) {
  return read(withoutSelection(operand(index)), type).offset;
}
uint32_t Decoder::writeSelected(size_t index, Type type) {
  return write(withoutSelection(operand(index)), type).offset;
}

uint32_t Decoder::readPredicate(size_t index, bool &isNegated) {
  Operand plain = operand(index);
  isNegated = plain.isNegated;
  plain.isNegated = false;
  return read(plain, kTypePredicate).offset;
}

int64_t Decoder::integer(size_t index) const {
  if (operand(index).kind != Operand::Kind::Integer)
    fail("operand " + std::to_string(index + 1) + " must be a literal");
  return operand(index).bits;
}

Address Decoder::address(const Operand &operand) {
  if (operand.kind != Operand::Kind::Address || operand.parts.empty())
    fail("expected an address in brackets");
  const Operand &base = operand.parts[0];
  if (base.kind != Operand::Kind::Register) return {read(base, kTypeB64), operand.offset};
  Row row = builder_.registerRow(base.reg);
  if (row.bytes != 4 && row.bytes != 8) fail("an address has 32 or 64 bits");
  out_.reads.push_back(row);
  return {row, operand.offset};
}

uint32_t Decoder::scratch(uint32_t bytes) { return builder_.scratch(bytes); }
uint32_t Decoder::carryRow() { return builder_.carryRow(); }

namespace {

struct Refusal : InstructionData {
  std::string why;
};

Outcome refuse(Warp &, const Instruction &instruction) {
  throw FaultError(FaultKind::Illegal, static_cast<const Refusal &>(*instruction.data).why);
}

void setRefusal(Instruction &out, std::string why) {
  auto refusal = std::make_unique<Refusal>();
  refusal->why = std::move(why);
  out.data = std::move(refusal);
  out.handler = refuse;
  out.reads.clear();
  out.writes.clear();
}

} // namespace

/// By the row, or by the one of the instruction's form, if the chip has what they require.
static void decodeBy(const TableRow &row, Decoder &d, Instruction &out) {
  out.counted = row.counted;
  out.unwritten = row.unwritten.of(d.source());
  out.order = row.order.of(d.source());
  if (std::string lack = lackOf(row.requirements, d.source(), d.chip()); !lack.empty()) d.fail(lack);
  if (row.choose) return decodeBy(row.choose(d), d, out);
  row.decode(d, out);
}

void decodeInstruction(ProgramBuilder &builder, const ptx::Instruction &source, Instruction &out) {
  out.source = &source;
  const TableRow *row = tableRowOf(source.opcode);
  if (!row) return setRefusal(out, source.spelling() + ": the simulator does not know this instruction");
  try {
    Decoder decoder(builder, source, out);
    decodeBy(*row, decoder, out);
  } catch (const Unsupported &unsupported) {
    setRefusal(out, unsupported.message);
  }
}

std::string refusalOf(const Instruction &instruction) {
  return instruction.handler == refuse ? static_cast<const Refusal &>(*instruction.data).why : "";
}

} // namespace mxc::sim
