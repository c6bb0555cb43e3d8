// A PTX module as text says it: directives, names resolved to indices, instructions as words. Nothing here
// knows what an instruction means.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::sim::ptx {

struct Place {
  uint32_t line = 0, column = 0; // from 1
};

/// A fundamental type: "pred", "b8" .. "b128", "u8" .. "u64", "s8" .. "s64", "f16", "f16x2", "bf16",
/// "bf16x2", "f32", "f64".
struct Type {
  enum class Kind : uint8_t { Predicate, Bits, Unsigned, Signed, Float, BFloat } kind = Kind::Bits;
  uint16_t bits = 32;    // of the whole; a predicate has 1
  bool isPacked = false; // f16x2, bf16x2
  uint32_t bytes() const { return bits < 8 ? 1 : bits / 8; }
  bool operator==(const Type &) const = default;
};
std::optional<Type> typeNamed(std::string_view name);

struct Register {
  std::string name; // as declared, "%r12"; of a vector register "%v.x"
  Type type;
  uint32_t scope = 0; // 0: the function's own; block scopes declare theirs
};

enum class Space : uint8_t { Generic, Param, Global, Shared, Local, Const };

/// One piece of an initializer, at `offset` bytes of its variable.
struct Initializer {
  uint32_t offset = 0;
  std::vector<uint8_t> bytes; // little endian; empty where `symbol` is set
  std::string symbol;         // the address of this variable plus `addend`, in 8 bytes
  int64_t addend = 0;
  bool isGeneric = false; // generic(symbol)
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  uint64_t bytes = 0; // 0: an unsized array, `.extern .shared x[]`, or an empty one, `x[0]`
  uint32_t alignment = 1;
  Type type;                       // of its elements
  std::vector<uint32_t> registers; // of a function's .reg parameter: those that it is, one a component
  bool isExtern = false, isVisible = false;
  std::vector<Initializer> initializers;
  Place place;
};

struct Operand {
  enum class Kind : uint8_t {
    Register, // `reg`; of video instructions also `name`, the selected part: "b0", "h1", "b3210"
    Special,  // %tid.x, %laneid, ..: `name` without the %; a whole %tid is a Vector of its four components
    Integer,  // `bits`
    Float32,  // 0fXXXXXXXX: `bits`
    Float64,  // 0dXXXXXXXXXXXXXXXX: `bits`, or a decimal literal such as 1.5 or -2e3
    Symbol,  // a variable, a function, a label or a target list: `name`, unique (below); labels also `target`
    Address, // [base + offset]; base is parts[0] (Register, Symbol or Integer), coordinates and what else
             // stands in the brackets are parts[1..]: [map, {x, y}], [map, {x, y}, {o}]
    Vector,  // {a, b, _}: parts; a named vector register `%v` is the same as {%v.x, %v.y}
    Sink,    // _
    Pair,    // d|p: parts[0], parts[1]
    List,    // (a, b) of a call: parts
  } kind = Kind::Integer;
  bool isNegated = false; // !p
  uint32_t reg = 0;
  int64_t bits = 0;    // of a literal
  int64_t offset = 0;  // of an Address; of `symbol+12` as a plain operand
  uint32_t target = 0; // of a label: index into Function::instructions; their number, if it ends the body;
                       // of a target list: index into Function::targetLists
  std::string name;
  std::vector<Operand> parts;
  Place place;
};

/// `@!p opcode.modifier.modifier operand, operand;`
struct Instruction {
  std::string opcode;                 // "ld", "mma", "tcgen05" (the first word)
  std::vector<std::string> modifiers; // "global", "v4", "shared::cta", "b32": in text order, without the dots
  std::vector<Operand> operands;
  std::optional<uint32_t> guard; // a predicate register
  bool isGuardNegated = false;
  Place place;
  uint32_t scope = 0;

  bool has(std::string_view modifier) const;
  std::string spelling() const; // "ld.global.v4.b32"
};

/// A `.branchtargets`/`.calltargets`/`.callprototype` list, by its label; a prototype has no names.
struct TargetList {
  std::string name;
  std::vector<std::string> names;
  std::vector<uint32_t> targets;             // instruction indices, of .branchtargets
  std::vector<Variable> parameters, returns; // of a prototype
};

struct Function {
  std::string name;
  bool isEntry = false, isExtern = false;    // extern: declared only
  std::vector<Variable> parameters, returns; // space Param, or .reg
  std::vector<Register> registers;
  // .shared, .local, .param of its body, block scopes included. Names are made unique among these and the
  // module's: the second `x` is called "x@2". (A .global or .const of a body stands in Module::variables.)
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<TargetList> targetLists;
  std::optional<std::array<uint32_t, 3>> requiredThreads, maximumThreads, requiredCluster;
  Place place;
};

struct Module {
  std::string version;             // "8.8": a fact to report
  std::string target;              // "sm_100a"
  std::vector<Variable> variables; // .global, .const, .shared of the module
  std::vector<Function> functions;
};

/// Parses a whole module; text ends at its end or at a NUL. Throws mxc::Error (InvalidInput)
/// "NAME:line:column: error: .." for what is no PTX: unknown directives, undeclared names, literals out of
/// range, nesting beyond 256, ..; for text that makes a module of more than about `memoryBytes`.
Module parse(std::string_view text, std::string_view name, uint64_t memoryBytes = uint64_t(4) << 30);

} // namespace mxc::sim::ptx
