// The parser that parse() runs: one class, its members defined in the Parser*.cpp beside it, by concern.
#pragma once

#include "runtime/simulator/ptx/Ast.h"
#include "runtime/simulator/ptx/Lexer.h"
#include "runtime/simulator/ptx/Literal.h"
#include "runtime/simulator/ptx/Scopes.h"

namespace mxc::sim::ptx {

/// What stands before a variable or a function.
struct Linkage {
  bool isExtern = false, isVisible = false; // .visible, .weak, .common
};

/// `.align 16 .v2 .b32`: what several declared names share.
struct DeclaredType {
  Type type;
  uint32_t components = 1; // of .v2, .v4, .v8
  uint32_t alignment = 0;  // 0: not given
};

struct InitializerCursor; // ParserInitializer.cpp

class Parser {
public:
  Parser(std::string_view text, std::string_view name, uint64_t memoryBytes);
  Module module();

private:
  // Tokens
  const Token &peek() { return lexer_.peek(); }
  const Token &peekSecond() { return lexer_.peekSecond(); }
  Token next() {
    if (tokensLeft_ == 0) failTooLong();
    --tokensLeft_;
    return lexer_.next();
  }
  [[noreturn]] void failTooLong();
  [[noreturn]] void fail(Place place, const std::string &message) const { lexer_.fail(place, message); }
  [[noreturn]] void failExpected(const std::string &what) {
    fail(peek().place, "expected " + what + ", got " + described(peek()));
  }
  [[noreturn]] void failRedeclared(std::string_view name, Place place) const {
    fail(place, "'" + std::string(name) + "' is declared twice in this scope");
  }
  bool accept(std::string_view sign);
  void expect(std::string_view sign, std::string_view where);
  Token expectWord(const std::string &what);
  Token expectNewName(const std::string &what);

  // Parser.cpp: the module's own directives
  void header();
  void directive();
  Linkage linkage();
  void skipSection();
  void skipLocation();
  void skipFile();
  void skipPragma();
  void skipAttribute();
  void checkInitializerSymbols();

  // ParserConstant.cpp
  Integer constant(int lowestPrecedence = 0);
  Integer unaryConstant();
  Integer binaryConstant(std::string_view sign, Integer left, Integer right, Place place);
  bool beginsConstant();
  uint64_t count(const std::string &what, uint64_t least, uint64_t most);

  // ParserVariable.cpp
  DeclaredType declaredType(const std::string &where);
  bool acceptAttribute(DeclaredType &declared);
  void registers();
  void registerRange(const DeclaredType &declared, const Token &name);
  void declareRegister(std::string_view name, const DeclaredType &declared, Place place);
  void variables(Space space, Linkage linkage);
  Variable declarator(Space space, const DeclaredType &declared, bool mayBeNameless);
  void arraySizes(Variable &variable, const DeclaredType &declared);
  void declareInModule(Variable variable);
  void declareInFunction(Variable variable);
  Variable registerParameter(bool isOfPrototype);
  Variable parameter(bool isOfPrototype);
  std::vector<Variable> parameterList(bool isOfPrototype);

  // ParserInitializer.cpp
  void initializer(Variable &variable, const DeclaredType &declared);
  void initializerList(InitializerCursor &cursor, size_t level, uint64_t begin, uint64_t end);
  void initializerElement(InitializerCursor &cursor);
  void initializerString(InitializerCursor &cursor, uint64_t end);
  void initializerNumber(InitializerCursor &cursor);
  Initializer addressOfSymbol();
  void initializerSymbol(InitializerCursor &cursor);
  void initializerMask(InitializerCursor &cursor, Integer mask, Place place);

  // ParserFunction.cpp
  void function(bool isEntry, Linkage linkage);
  void performanceDirectives(Function &function);
  std::array<uint32_t, 3> threeCounts(const std::string &what);
  void body(Function &function, Scopes &scopes);

  // ParserStatement.cpp
  void statement();
  void bodyDirective();
  void label(const Token &name);
  void targetList(const Token &name);
  void instruction();
  void guard(Instruction &instruction);

  // ParserOperand.cpp
  enum class Role : uint8_t {
    Plain,      // any name
    Nested,     // in brackets: names that are declared before
    Call,       // '(' begins a list
    Branch,     // a label, whatever else is called so
    TargetList, // a list of targets likewise
  };
  Operand operand(Role role);
  Operand namedOperand(Role role);
  Operand numberOperand();
  Operand listOperand(std::string_view close, Operand::Kind kind);
  Operand addressOperand();
  Operand registerOperand(const Token &name, const Binding &binding); // a Vector of a vector register
  Operand symbolOperand(const Token &name, Role role);
  std::optional<Operand> specialOperand(const Token &name);
  void pairWith(Operand &operand);
  int64_t offsets();

  /// Counts recursion, which text controls.
  class Nesting {
  public:
    explicit Nesting(Parser &parser);
    ~Nesting() { --parser_.nesting_; }

  private:
    Parser &parser_;
  };

  struct ModuleName {
    bool isFunction = false;
    uint32_t index = 0;
  };
  struct SymbolUse {
    std::string name;
    Place place;
  };

  Lexer lexer_;
  Module module_;
  NameMap<ModuleName> names_;
  std::vector<SymbolUse> initializerSymbols_;
  uint32_t nesting_ = 0;
  uint32_t operandIndex_ = 0;        // of the instruction's operand being read
  std::vector<uint64_t> dimensions_; // of the declarator just read; 0: []
  uint64_t registersLeft_;           // of the whole module
  uint64_t tokensLeft_;              // likewise
  Function *function_ = nullptr;
  Scopes *scopes_ = nullptr;
};

} // namespace mxc::sim::ptx
