// Operands.
#include "runtime/simulator/ptx/Parser.h"
#include "runtime/simulator/ptx/SpecialRegisters.h"

#include <utility>

namespace mxc::sim::ptx {

namespace {

/// b3, h1, and of SIMD video instructions b7610, h02.
bool isSelector(std::string_view name) {
  return name.size() >= 2 && name.size() <= 5 && (name[0] == 'b' || name[0] == 'h') &&
         name.find_first_not_of("01234567", 1) == name.npos;
}

/// `mov.v4.u32 %v, %tid`
Operand vectorOfSpecials(const Operand &special) {
  Operand vector;
  vector.kind = Operand::Kind::Vector;
  vector.place = special.place;
  for (const char *component : {".x", ".y", ".z", ".w"})
    vector.parts.emplace_back(special).name += component;
  return vector;
}

} // namespace

Operand Parser::operand(Role role) {
  Nesting nesting(*this);
  const Token token = peek();
  if (token.is("{")) return listOperand("}", Operand::Kind::Vector);
  if (token.is("[")) return addressOperand();
  if (token.is("(") && role == Role::Call) return listOperand(")", Operand::Kind::List);
  if (token.is("!") && peekSecond().kind == Token::Kind::Word && !peekSecond().isWord("WARP_SZ")) {
    next();
    Operand negated = namedOperand(Role::Nested);
    if (negated.kind != Operand::Kind::Register) fail(token.place, "expected a predicate after '!'");
    negated.isNegated = true;
    return negated;
  }
  if (beginsConstant()) return numberOperand();
  return namedOperand(role);
}

/// A list's brackets and what is between them.
Operand Parser::listOperand(std::string_view close, Operand::Kind kind) {
  Operand list;
  list.kind = kind;
  list.place = next().place;
  if (accept(close)) return list;
  do {
    list.parts.push_back(operand(Role::Nested));
  } while (accept(","));
  if (!accept(close)) failExpected("',' or '" + std::string(close) + "' in a list");
  return list;
}

/// `[%rd1+-16]`, `[map, {%r1, %r2}]`
Operand Parser::addressOperand() {
  Operand address;
  address.kind = Operand::Kind::Address;
  address.place = next().place;
  Operand base;
  if (beginsConstant()) {
    base.place = peek().place;
    base.bits = constant().bits;
  } else {
    base = namedOperand(Role::Nested);
    if (base.kind == Operand::Kind::Register)
      base.offset = offsets();
    else if (base.kind != Operand::Kind::Symbol)
      fail(base.place, "expected a register, a variable or a number as address");
    std::swap(address.offset, base.offset);
  }
  address.parts.push_back(std::move(base));
  while (accept(","))
    address.parts.push_back(operand(Role::Nested));
  if (!accept("]")) failExpected("']' after an address");
  return address;
}

int64_t Parser::offsets() {
  constexpr int kSums = 9; // `+ 8 + 4` is two terms, `+ 2 * 4` is one
  uint64_t sum = 0;
  while (peek().is("+") || peek().is("-")) {
    const bool isAdded = next().is("+");
    const uint64_t term = uint64_t(constant(kSums).bits);
    sum = isAdded ? sum + term : sum - term;
  }
  return int64_t(sum);
}

Operand Parser::numberOperand() {
  Operand number;
  number.place = peek().place;
  const bool isNegative =
      peek().is("-") && peekSecond().kind == Token::Kind::Number && looksLikeFloat(peekSecond().text);
  if (isNegative) next();
  if (peek().kind != Token::Kind::Number || !looksLikeFloat(peek().text)) {
    number.bits = constant().bits;
    return number;
  }
  const Token token = next();
  std::optional<Float> value = floatOf(token.text);
  if (!value) fail(token.place, "expected a floating-point number, got " + described(token));
  number.kind = value->isSingle ? Operand::Kind::Float32 : Operand::Kind::Float64;
  number.bits = int64_t(value->bits ^ (uint64_t(isNegative) << (value->isSingle ? 31 : 63)));
  return number;
}

Operand Parser::namedOperand(Role role) {
  const Token name = expectWord(role == Role::Branch ? "a label" : "an operand");
  if (name.text == "_") {
    Operand sink;
    sink.kind = Operand::Kind::Sink;
    sink.place = name.place;
    pairWith(sink);
    return sink;
  }
  // A later label of this scope may be called like a register or a variable of an outer one.
  if (role == Role::Branch || role == Role::TargetList) return symbolOperand(name, role);
  const Binding binding = scopes_->find(name.text);
  using Kind = Binding::Kind;
  if (binding.kind == Kind::Register || binding.kind == Kind::VectorRegister) {
    Operand found = registerOperand(name, binding);
    if (found.kind == Operand::Kind::Register) pairWith(found);
    return found;
  }
  if (binding.kind == Kind::None && !names_.contains(name.text))
    if (std::optional<Operand> special = specialOperand(name)) return *special;
  return symbolOperand(name, role);
}

/// `d|p` and `_|p`
void Parser::pairWith(Operand &first) {
  if (!peek().is("|")) return;
  next();
  const Token name = expectWord("a register after '|'");
  Operand pair, second;
  pair.kind = Operand::Kind::Pair;
  pair.place = first.place;
  if (name.text == "_") {
    second.kind = Operand::Kind::Sink;
    second.place = name.place;
  } else {
    second = registerOperand(name, scopes_->find(name.text));
  }
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(std::move(second));
  first = std::move(pair);
}

Operand Parser::registerOperand(const Token &name, const Binding &binding) {
  using Kind = Binding::Kind;
  if (binding.kind == Kind::None) fail(name.place, "undeclared name '" + std::string(name.text) + "'");
  if (binding.kind != Kind::Register && binding.kind != Kind::VectorRegister)
    fail(name.place, "expected a register, got " + described(name));
  Operand found;
  found.kind = Operand::Kind::Register;
  found.place = name.place;
  found.reg = binding.index;
  const bool isVector = binding.kind == Kind::VectorRegister;
  if (peek().kind ==
      Token::Kind::Dotted) { // %v.x, or by colours %v.r; %r1.b0 and %r1.h1 of video instructions
    const std::string_view letter = peek().text;
    const size_t at = letter.size() == 1 ? std::string_view("xyzwrgba").find(letter) : letter.npos;
    const bool isComponent = isVector && at != letter.npos && at % 4 < binding.count;
    const bool selects = !isVector && isSelector(letter);
    if (!isComponent && !selects)
      fail(peek().place, "'" + std::string(name.text) + "' has no component " + described(peek()));
    if (isComponent)
      found.reg += uint32_t(at % 4);
    else
      found.name = letter;
    next();
    return found;
  }
  if (!isVector) return found;
  Operand vector;
  vector.kind = Operand::Kind::Vector;
  vector.place = name.place;
  for (uint32_t i = 0; i < binding.count; ++i, ++found.reg)
    vector.parts.push_back(found);
  return vector;
}

std::optional<Operand> Parser::specialOperand(const Token &name) {
  if (name.text[0] != '%') return std::nullopt;
  const SpecialRegister kind = specialRegister(name.text.substr(1));
  if (kind == SpecialRegister::None) return std::nullopt;
  Operand special;
  special.kind = Operand::Kind::Special;
  special.place = name.place;
  special.name = name.text.substr(1);
  if (kind == SpecialRegister::Scalar) return special;
  if (peek().kind != Token::Kind::Dotted) return vectorOfSpecials(special);
  const std::string_view component = peek().text;
  if (component.size() != 1 || std::string_view("xyzw").find(component) == component.npos)
    fail(peek().place, "'" + std::string(name.text) + "' has no component " + described(peek()));
  special.name.append(".").append(component);
  next();
  return special;
}

/// A variable, a function or, where one may stand, a label or a list of targets.
Operand Parser::symbolOperand(const Token &name, Role role) {
  Operand symbol;
  symbol.kind = Operand::Kind::Symbol;
  symbol.place = name.place;
  symbol.name = name.text;
  const Binding binding = scopes_->find(name.text);
  const bool isVariable = binding.kind == Binding::Kind::Variable;
  const bool isOfModule = binding.kind == Binding::Kind::None && names_.contains(name.text);
  if ((isVariable || isOfModule) && role != Role::Branch && role != Role::TargetList) {
    if (isVariable) symbol.name = scopes_->uniqueName(binding);
    symbol.offset = offsets();
    if (peek().is("[")) fail(peek().place, "indexing with brackets is not supported, write the byte offset");
    return symbol;
  }
  if (role == Role::Nested || name.text[0] == '%') fail(name.place, "undeclared name '" + symbol.name + "'");
  const auto from = role == Role::Branch ? Scopes::Reference::From::Branch : Scopes::Reference::From::Operand;
  scopes_->refer(name.text, {from, uint32_t(function_->instructions.size()), operandIndex_, name.place});
  return symbol;
}

} // namespace mxc::sim::ptx
