// Declarations: registers, variables, parameters.
#include "runtime/simulator/ptx/Parser.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {
constexpr uint64_t kMostRegisters = 1'000'000;     // of a function
constexpr size_t kLongestRangeName = 128;          // `NAME<1000000>` keeps each of its names
constexpr uint64_t kMostBytes = uint64_t(1) << 40; // of a variable
constexpr uint64_t kMostAlignment = uint64_t(1) << 20;

std::optional<Space> spaceNamed(std::string_view name) {
  if (name == "param") return Space::Param;
  if (name == "global") return Space::Global;
  if (name == "shared") return Space::Shared;
  if (name == "local") return Space::Local;
  if (name == "const") return Space::Const;
  return std::nullopt;
}
} // namespace

/// `.align 16`, `.attribute(..)`, `.v4`, in any order.
bool Parser::acceptAttribute(DeclaredType &declared) {
  const Token token = peek();
  if (token.isDotted("align")) {
    next();
    const Place place = peek().place;
    const uint64_t alignment = count("an alignment", 1, kMostAlignment);
    if (alignment & (alignment - 1))
      fail(place, "expected a power of two as alignment, got " + std::to_string(alignment));
    declared.alignment = uint32_t(alignment);
    return true;
  }
  if (token.isDotted("attribute")) {
    skipAttribute();
    return true;
  }
  if (!token.isDotted("v2") && !token.isDotted("v4") && !token.isDotted("v8")) return false;
  declared.components = uint32_t(next().text[1] - '0');
  return true;
}

DeclaredType Parser::declaredType(const std::string &where) {
  DeclaredType declared;
  while (acceptAttribute(declared)) {
  }
  if (peek().isDotted("texref") || peek().isDotted("samplerref") || peek().isDotted("surfref"))
    fail(peek().place, "textures and surfaces are not supported");
  std::optional<Type> type = peek().kind == Token::Kind::Dotted ? typeNamed(peek().text) : std::nullopt;
  if (!type) failExpected("a type " + where);
  next();
  declared.type = *type;
  return declared;
}

void Parser::registers() {
  const DeclaredType declared = declaredType("of registers");
  if (declared.components > 4) failExpected("registers of at most four components");
  do {
    const Token name = expectNewName("a register's name");
    accept("<") ? registerRange(declared, name) : declareRegister(name.text, declared, name.place);
  } while (accept(","));
  expect(";", "after registers");
}

/// `%r<12>`: %r0 to %r11.
void Parser::registerRange(const DeclaredType &declared, const Token &name) {
  const Token size = next();
  std::optional<Integer> count = size.kind == Token::Kind::Number ? integerOf(size.text) : std::nullopt;
  if (!count) fail(size.place, "expected a number of registers, got " + described(size));
  if (uint64_t(count->bits) > kMostRegisters)
    fail(size.place, "more than " + std::to_string(kMostRegisters) + " registers in a function");
  expect(">", "after a number of registers");
  if (name.text.size() > kLongestRangeName)
    fail(name.place,
         "the name of a range of registers has more than " + std::to_string(kLongestRangeName) + " letters");
  if (registersLeft_ < uint64_t(count->bits)) fail(name.place, "too many registers in a module");
  if (count->bits > 1000) scopes_->reserve(size_t(count->bits)); // not for few: reserving often grows often
  for (int64_t i = 0; i < count->bits; ++i)
    declareRegister(std::string(name.text) + std::to_string(i), declared, name.place);
}

void Parser::declareRegister(std::string_view name, const DeclaredType &declared, Place place) {
  const uint8_t components = uint8_t(declared.components);
  std::vector<Register> &registers = function_->registers;
  if (registers.size() + components > kMostRegisters)
    fail(place, "more than " + std::to_string(kMostRegisters) + " registers in a function");
  if (registersLeft_ < components) fail(place, "too many registers in a module");
  registersLeft_ -= components;
  using Kind = Binding::Kind;
  const Kind kind = components == 1 ? Kind::Register : Kind::VectorRegister;
  if (!scopes_->declare(name, {kind, components, uint32_t(registers.size())})) failRedeclared(name, place);
  const uint32_t scope = scopes_->current();
  if (components == 1)
    registers.push_back({std::string(name), declared.type, scope});
  else
    for (uint8_t i = 0; i < components; ++i)
      registers.push_back({std::string(name) + "." + "xyzw"[i], declared.type, scope});
}

/// `.align 16 .b8 a[4][4] = {..}, b;` after the space.
void Parser::variables(Space space, Linkage linkage) {
  const DeclaredType declared = declaredType("of a variable");
  do {
    Variable variable = declarator(space, declared, false);
    variable.isExtern = linkage.isExtern;
    variable.isVisible = linkage.isVisible;
    if (peek().is("=")) {
      if ((space != Space::Global && space != Space::Const) || linkage.isExtern)
        fail(peek().place, "only .global and .const variables that are not .extern may be initialized");
      initializer(variable, declared);
    }
    function_ ? declareInFunction(std::move(variable)) : declareInModule(std::move(variable));
  } while (accept(","));
  expect(";", "after a variable");
}

Variable Parser::declarator(Space space, const DeclaredType &declared, bool mayBeNameless) {
  const Token name = mayBeNameless ? expectWord("a parameter's name") : expectNewName("a variable's name");
  if (name.text[0] == '%') fail(name.place, "expected a variable's name, got " + described(name));
  Variable variable;
  variable.name = name.text;
  variable.space = space;
  variable.place = name.place;
  variable.type = declared.type;
  const uint32_t bytes = declared.type.bytes() * declared.components;
  variable.alignment = declared.alignment ? declared.alignment : bytes;
  variable.bytes = bytes;
  if (declared.type.kind == Type::Kind::Predicate) fail(name.place, "predicates live in registers only");
  arraySizes(variable, declared);
  return variable;
}

void Parser::arraySizes(Variable &variable, const DeclaredType &declared) {
  dimensions_.clear();
  for (bool isFirst = true; accept("["); isFirst = false) {
    uint64_t size = 0;
    const Place place = peek().place;
    if (!isFirst || !peek().is("]")) size = count("an array's size", 0, kMostBytes);
    expect("]", "after an array's size");
    // In bounds: both are at most 2^40, and the product is looked at before the next one.
    if (size > kMostBytes / std::max<uint64_t>(variable.bytes, 1))
      fail(place, "'" + variable.name + "' is larger than 2^40 bytes");
    variable.bytes *= size;
    dimensions_.push_back(size);
  }
}

void Parser::declareInModule(Variable variable) {
  const std::string name = variable.name;
  auto [found, isNew] = names_.try_emplace(name, ModuleName{false, uint32_t(module_.variables.size())});
  if (isNew) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  const auto taken = [&] { fail(variable.place, "'" + name + "' is declared twice in this module"); };
  if (found->second.isFunction) taken();
  Variable &known = module_.variables[found->second.index]; // .extern now, defined before or after
  if (known.space != variable.space || (!known.isExtern && !variable.isExtern)) taken();
  if (known.isExtern) known = std::move(variable);
}

void Parser::declareInFunction(Variable variable) {
  if (variable.isExtern) return declareInModule(std::move(variable));
  const bool isOfModule = variable.space == Space::Global || variable.space == Space::Const;
  // Another function's may be called the same: '@' and the function tell them apart.
  const std::string suffix = isOfModule ? "@" + function_->name : "";
  std::optional<std::string> name =
      scopes_->declareVariable(variable.name, names_.contains(variable.name), suffix);
  if (!name) failRedeclared(variable.name, variable.place);
  variable.name = *name;
  if (isOfModule) return declareInModule(std::move(variable));
  function_->variables.push_back(std::move(variable));
}

/// `.reg .u32 x`: a register of the function, which a call writes or reads.
Variable Parser::registerParameter(bool isOfPrototype) {
  const Place place = next().place;
  if (function_->isEntry && !isOfPrototype)
    fail(place, "expected '.param': a kernel has no parameters in registers");
  const DeclaredType declared = declaredType("of a parameter");
  if (declared.components > 4) fail(place, "expected a register of at most four components");
  Variable parameter = declarator(Space::Param, declared, isOfPrototype); // refuses predicates, as ptxas does
  if (!dimensions_.empty()) fail(place, "expected a register, got an array");
  const auto first = uint32_t(function_->registers.size());
  if (!isOfPrototype) declareRegister(parameter.name, declared, parameter.place);
  for (uint32_t i = 0; i < declared.components; ++i)
    parameter.registers.push_back(first + i);
  return parameter;
}

/// `.param .align 64 .b8 x[128]`, `.param .u64 .ptr .global .align 1 p`
Variable Parser::parameter(bool isOfPrototype) {
  if (peek().isDotted("reg")) return registerParameter(isOfPrototype);
  if (!peek().isDotted("param")) failExpected("'.param'");
  next();
  DeclaredType declared = declaredType("of a parameter");
  if (peek().isDotted("ptr")) { // what it points to, which changes nothing of the parameter
    next();
    if (peek().kind == Token::Kind::Dotted && spaceNamed(peek().text)) next();
    DeclaredType pointee;
    if (peek().isDotted("align")) acceptAttribute(pointee);
  }
  return declarator(Space::Param, declared, isOfPrototype);
}

std::vector<Variable> Parser::parameterList(bool isOfPrototype) {
  std::vector<Variable> parameters;
  expect("(", "before parameters");
  if (accept(")")) return parameters;
  do {
    parameters.push_back(parameter(isOfPrototype));
    const Variable &last = parameters.back();
    if (!isOfPrototype && last.registers.empty() && !scopes_->declareVariable(last.name, false, ""))
      failRedeclared(last.name, last.place);
  } while (accept(","));
  expect(")", "after parameters");
  return parameters;
}

} // namespace mxc::sim::ptx
