// The module: its header and the directives outside of functions.
#include "runtime/simulator/ptx/Parser.h"

namespace mxc::sim::ptx {

namespace {
constexpr uint32_t kDeepest = 256;
// Text of any size may declare this many registers, and one more a byte: `%r<1000000>` in every of many
// functions must not take all memory.
constexpr uint64_t kRegistersOfAnyModule = 2'000'000;
// The memory that a module takes for each token: `ret;` makes an instruction, `_,` an operand.
constexpr uint64_t kBytesOfToken = 128;
} // namespace

Module parse(std::string_view text, std::string_view name, uint64_t memoryBytes) {
  return Parser(text, name, memoryBytes).module();
}

Parser::Parser(std::string_view text, std::string_view name, uint64_t memoryBytes)
    : lexer_(text, name), registersLeft_(kRegistersOfAnyModule + text.size()),
      tokensLeft_(memoryBytes / kBytesOfToken) {}

void Parser::failTooLong() {
  fail(peek().place, "the text is longer than the budget for the host's memory allows (MXC_SIM_MEMORY)");
}

Parser::Nesting::Nesting(Parser &parser) : parser_(parser) {
  if (parser.nesting_ == kDeepest)
    parser.fail(parser.peek().place, "nested deeper than " + std::to_string(kDeepest));
  ++parser.nesting_;
}

bool Parser::accept(std::string_view sign) {
  if (!peek().is(sign)) return false;
  next();
  return true;
}

void Parser::expect(std::string_view sign, std::string_view where) {
  if (!accept(sign)) failExpected("'" + std::string(sign) + "' " + std::string(where));
}

Token Parser::expectWord(const std::string &what) {
  if (peek().kind != Token::Kind::Word) failExpected(what);
  return next();
}

Token Parser::expectNewName(const std::string &what) {
  if (peek().isWord("_")) failExpected(what);
  return expectWord(what);
}

Module Parser::module() {
  header();
  while (peek().kind != Token::Kind::End)
    directive();
  checkInitializerSymbols();
  return std::move(module_);
}

/// PTX ISA, "PTX Module Directives": each module begins with .version, then .target.
void Parser::header() {
  while (peek().isDotted("file") || peek().isDotted("pragma"))
    peek().isDotted("file") ? skipFile() : skipPragma();
  if (!peek().isDotted("version")) failExpected(".version, with which PTX begins");
  next();
  std::string_view version = peek().text;
  if (peek().kind != Token::Kind::Number || version.find_first_not_of("0123456789.") != version.npos)
    failExpected("a version such as 8.8");
  module_.version = next().text;
  if (!peek().isDotted("target")) failExpected(".target after .version");
  next();
  module_.target = expectWord("a target such as sm_100a").text;
  while (accept(",")) // debug, texmode_independent, ..
    expectWord("a target option");
}

void Parser::directive() {
  const Token token = peek();
  if (token.kind != Token::Kind::Dotted) failExpected("a directive");
  const std::string_view name = token.text;
  if (name == "file") return skipFile();
  if (name == "loc") return skipLocation();
  if (name == "section") return skipSection();
  if (name == "pragma") return skipPragma();
  if (name == "address_size") {
    next();
    const Place place = peek().place;
    if (count("an address size", 1, 1024) != 64) fail(place, "only 64-bit addresses are simulated");
    return;
  }
  if (name == "alias" || name == "tex" || name == "version" || name == "target")
    fail(token.place, "'." + std::string(name) + "' is not supported here");
  const Linkage linked = linkage();
  const Token subject = next();
  if (subject.isDotted("entry")) return function(true, linked);
  if (subject.isDotted("func")) return function(false, linked);
  if (subject.isDotted("global")) return variables(Space::Global, linked);
  if (subject.isDotted("shared")) return variables(Space::Shared, linked);
  if (subject.isDotted("const")) return variables(Space::Const, linked);
  fail(subject.place, "expected a directive of a module, got " + described(subject));
}

Linkage Parser::linkage() {
  Linkage linkage;
  for (;; next()) {
    if (peek().isDotted("extern"))
      linkage.isExtern = true;
    else if (peek().isDotted("visible") || peek().isDotted("weak") || peek().isDotted("common"))
      linkage.isVisible = true;
    else
      return linkage;
  }
}

void Parser::skipSection() {
  next();
  if (peek().kind == Token::Kind::End || peek().kind == Token::Kind::Sign) failExpected("a section's name");
  next();
  if (!peek().is("{")) failExpected("'{' after a section's name");
  lexer_.skipBraces();
}

/// `.loc 1 23 5` and, in its line, `, function_name $L__info_string0, inlined_at 1 22 3`. No ';' ends it.
void Parser::skipLocation() {
  const uint32_t line = next().place.line;
  for (const char *what : {"a file number", "a line", "a column"})
    count(what, 0, UINT32_MAX);
  if (!peek().is(",")) return;
  while (peek().kind != Token::Kind::End && peek().place.line == line)
    next();
}

/// `.file 1 "name.cu"` and maybe `, time, size`.
void Parser::skipFile() {
  next();
  count("a file number", 0, UINT32_MAX);
  if (peek().kind != Token::Kind::String) failExpected("a file name");
  while (peek().kind == Token::Kind::String)
    next();
  while (accept(","))
    count("a time or a size", 0, INT64_MAX);
}

void Parser::skipPragma() {
  next();
  do {
    if (peek().kind != Token::Kind::String) failExpected("a string after .pragma");
    next();
  } while (accept(","));
  expect(";", "after .pragma");
}

/// `.attribute(.unified(0x1, 0x2), .managed)`
void Parser::skipAttribute() {
  next();
  if (!peek().is("(")) failExpected("'(' after .attribute");
  uint64_t depth = 0;
  do {
    if (peek().kind == Token::Kind::End) failExpected("')' after .attribute");
    depth += peek().is("(");
    depth -= peek().is(")");
    next();
  } while (depth != 0);
}

void Parser::checkInitializerSymbols() {
  for (const SymbolUse &use : initializerSymbols_)
    if (!names_.contains(use.name)) fail(use.place, "undeclared name '" + use.name + "'");
}

} // namespace mxc::sim::ptx
