// What stands in a body: declarations, labels, lists of targets, instructions.
#include "runtime/simulator/ptx/Parser.h"

namespace mxc::sim::ptx {

void Parser::statement() {
  const Token &token = peek();
  if (token.kind == Token::Kind::Dotted) return bodyDirective();
  if (token.kind == Token::Kind::Word && peekSecond().is(":")) {
    const Token name = next();
    next();
    const bool isList = peek().isDotted("branchtargets") || peek().isDotted("calltargets") ||
                        peek().isDotted("callprototype");
    return isList ? targetList(name) : label(name);
  }
  instruction();
}

void Parser::bodyDirective() {
  if (peek().isDotted("loc")) return skipLocation();
  if (peek().isDotted("file")) return skipFile();
  if (peek().isDotted("pragma")) return skipPragma();
  if (peek().isDotted("section")) return skipSection();
  const Linkage linked = linkage();
  const Token subject = next();
  if (subject.isDotted("reg")) return registers();
  if (subject.isDotted("param")) return variables(Space::Param, linked);
  if (subject.isDotted("shared")) return variables(Space::Shared, linked);
  if (subject.isDotted("local")) return variables(Space::Local, linked);
  if (subject.isDotted("global")) return variables(Space::Global, linked);
  if (subject.isDotted("const")) return variables(Space::Const, linked);
  fail(subject.place, "expected a statement, got " + described(subject));
}

void Parser::label(const Token &name) {
  const uint32_t instruction = uint32_t(function_->instructions.size());
  if (name.text == "_" || name.text[0] == '%') fail(name.place, "expected a label, got " + described(name));
  if (!scopes_->declare(name.text, {Binding::Kind::Label, 1, instruction}))
    failRedeclared(name.text, name.place);
}

/// `ts: .branchtargets L0, L1;`, `p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
void Parser::targetList(const Token &name) {
  const uint32_t index = uint32_t(function_->targetLists.size());
  if (!scopes_->declare(name.text, {Binding::Kind::TargetList, 1, index}))
    failRedeclared(name.text, name.place);
  TargetList &list = function_->targetLists.emplace_back();
  list.name = scopes_->uniqueListName(name.text);
  const Token kind = next();
  if (kind.isDotted("callprototype")) {
    if (peek().is("(")) list.returns = parameterList(true);
    expectWord("'_' or a name in a prototype");
    if (peek().is("(")) list.parameters = parameterList(true);
    while (peek().isDotted("noreturn") || peek().isDotted("abi_preserve") ||
           peek().isDotted("abi_preserve_control"))
      if (next().isDotted("abi_preserve")) count("a number of registers", 0, UINT32_MAX);
  } else {
    do {
      const Token target = expectNewName("a target");
      if (kind.isDotted("branchtargets"))
        scopes_->refer(target.text,
                       {Scopes::Reference::From::List, index, uint32_t(list.names.size()), target.place});
      else if (auto found = names_.find(target.text); found == names_.end() || !found->second.isFunction)
        fail(target.place, "'" + std::string(target.text) + "' is no function");
      list.names.emplace_back(target.text);
    } while (accept(","));
    if (kind.isDotted("branchtargets")) list.targets.resize(list.names.size());
  }
  expect(";", "after a list of targets");
}

void Parser::instruction() {
  Instruction instruction;
  instruction.place = peek().place;
  instruction.scope = scopes_->current();
  if (peek().is("@")) guard(instruction);
  const Token opcode = peek();
  const char first = opcode.kind == Token::Kind::Word ? char(opcode.text[0] | 0x20) : '0';
  if (first < 'a' || first > 'z') failExpected("an instruction");
  instruction.opcode = next().text;
  while (peek().kind == Token::Kind::Dotted)
    instruction.modifiers.emplace_back(next().text);
  const bool isBranch = instruction.opcode == "bra", isIndexed = instruction.opcode == "brx";
  const Role role = isBranch ? Role::Branch : instruction.opcode == "call" ? Role::Call : Role::Plain;
  operandIndex_ = 0;
  if (!peek().is(";")) {
    do {
      instruction.operands.push_back(operand(isIndexed && operandIndex_ == 1 ? Role::TargetList : role));
      ++operandIndex_;
    } while (accept(","));
    if (!peek().is(";")) failExpected("',' or ';' after an operand");
  }
  next();
  function_->instructions.push_back(std::move(instruction));
}

void Parser::guard(Instruction &instruction) {
  next();
  instruction.isGuardNegated = accept("!");
  const Token name = expectWord("a predicate after '@'");
  const Binding binding = scopes_->find(name.text);
  Operand predicate = registerOperand(name, binding);
  if (predicate.kind != Operand::Kind::Register ||
      function_->registers[predicate.reg].type.kind != Type::Kind::Predicate)
    fail(name.place, "expected a predicate after '@', got " + described(name));
  instruction.guard = predicate.reg;
}

} // namespace mxc::sim::ptx
