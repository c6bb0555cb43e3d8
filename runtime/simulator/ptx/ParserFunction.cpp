// Functions: signature, performance directives, body.
#include "runtime/simulator/ptx/Parser.h"

namespace mxc::sim::ptx {

/// `.func (.param .b32 r) name (.param .b64 p) .noreturn {..}` or `;`
void Parser::function(bool isEntry, Linkage linkage) {
  Function function;
  Scopes scopes(function);
  function_ = &function;
  scopes_ = &scopes;
  function.isEntry = isEntry;
  while (peek().isDotted("attribute"))
    skipAttribute();
  if (!isEntry && peek().is("(")) function.returns = parameterList(false);
  const Token name = expectNewName("a function's name");
  if (name.text[0] == '%') fail(name.place, "expected a function's name, got " + described(name));
  function.name = name.text;
  function.place = name.place;

  auto [found, isNew] =
      names_.try_emplace(function.name, ModuleName{true, uint32_t(module_.functions.size())});
  const uint32_t index = found->second.index;
  const auto taken = [&] { fail(name.place, "'" + function.name + "' is declared twice in this module"); };
  if (!found->second.isFunction) taken();
  if (isNew) {
    Function &declaration = module_.functions.emplace_back();
    declaration.name = function.name;
    declaration.isExtern = true;
  }

  if (peek().is("(")) function.parameters = parameterList(false);
  performanceDirectives(function);
  if (accept(";")) {
    function.isExtern = true;
    if (isNew) module_.functions[index] = std::move(function);
  } else {
    if (linkage.isExtern) failExpected("';' after an .extern function");
    if (!module_.functions[index].isExtern) taken();
    body(function, scopes);
    module_.functions[index] = std::move(function);
  }
  function_ = nullptr;
  scopes_ = nullptr;
}

void Parser::performanceDirectives(Function &function) {
  const auto ignoreCount = [&](const char *what) { count(what, 0, UINT32_MAX); };
  while (peek().kind == Token::Kind::Dotted) {
    const Token directive = peek();
    if (directive.isDotted("pragma")) {
      skipPragma();
      continue;
    }
    if (directive.isDotted("attribute")) {
      skipAttribute();
      continue;
    }
    next();
    if (directive.isDotted("maxntid"))
      function.maximumThreads = threeCounts("threads");
    else if (directive.isDotted("reqntid"))
      function.requiredThreads = threeCounts("threads");
    else if (directive.isDotted("reqnctapercluster"))
      function.requiredCluster = threeCounts("CTAs");
    else if (directive.isDotted("maxclusterrank"))
      count("a number of CTAs", 1, UINT32_MAX);
    else if (directive.isDotted("minnctapersm") || directive.isDotted("maxnctapersm"))
      ignoreCount("a number of CTAs");
    else if (directive.isDotted("maxnreg") || directive.isDotted("abi_preserve"))
      ignoreCount("a number of registers");
    else if (!directive.isDotted("noreturn") && !directive.isDotted("blocksareclusters") &&
             !directive.isDotted("explicitcluster") && !directive.isDotted("abi_preserve_control"))
      fail(directive.place, "expected a function's body, got " + described(directive));
  }
}

std::array<uint32_t, 3> Parser::threeCounts(const std::string &what) {
  std::array<uint32_t, 3> counts{1, 1, 1};
  size_t i = 0;
  do {
    counts[i++] = uint32_t(count("a number of " + what, 1, UINT32_MAX));
  } while (i < counts.size() && accept(","));
  return counts;
}

void Parser::body(Function &function, Scopes &scopes) {
  constexpr size_t kDeepestBlock = 256;
  if (!peek().is("{")) failExpected("'{' or ';' after a function's head");
  const Place begin = next().place;
  for (size_t outermost = scopes.depth();;) {
    const Token token = peek();
    if (token.kind == Token::Kind::End)
      fail(token.place, "expected '}' to end the function of line " + std::to_string(begin.line) + ", got " +
                            described(token));
    if (accept("{")) {
      if (scopes.depth() == kDeepestBlock)
        fail(token.place, "nested deeper than " + std::to_string(kDeepestBlock));
      scopes.open();
    } else if (accept("}")) {
      const bool isLast = scopes.depth() == outermost;
      scopes.close();
      if (isLast) break;
    } else {
      statement();
    }
  }
  if (std::optional<Scopes::Unresolved> unresolved = scopes.firstUnresolved())
    fail(unresolved->place, "undeclared name '" + unresolved->name + "'");
}

} // namespace mxc::sim::ptx
