#include "runtime/simulator/report/InstructionClass.h"

#include <algorithm>

namespace mxc::sim {

namespace {

struct OpcodeClass {
  std::string_view name;
  std::initializer_list<std::string_view> opcodes;
};

/// Of these the type decides: it is part of their names.
constexpr std::string_view kTyped[] = {"add", "sub", "mul", "mad", "fma", "neg",
                                       "abs", "min", "max", "div", "rem"};
const OpcodeClass kClasses[] = {
    {"integer", {"addc", "subc",  "madc", "mul24", "mad24", "sad",  "dp2a", "dp4a",  "bfe",
                 "bfi",  "bfind", "brev", "clz",   "popc",  "fns",  "prmt", "shf",   "shl",
                 "shr",  "and",   "or",   "xor",   "not",   "cnot", "lop3", "szext", "bmsk",
                 "vadd", "vsub",  "vmin", "vmax",  "vshl",  "vshr", "vmad", "vset",  "vabsdiff"}},
    {"float", {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "copysign", "testp"}},
    {"compare", {"setp", "set", "selp", "slct"}},
    {"convert", {"cvt"}},
    {"move", {"mov", "cvta", "isspacep", "mapa", "getctarank", "istypep"}},
    {"memory",
     {"ld", "ldu", "st", "ldmatrix", "stmatrix", "movmatrix", "prefetch", "prefetchu", "applypriority",
      "discard", "createpolicy", "alloca", "stacksave", "stackrestore"}},
    {"atomic", {"atom", "red"}},
    {"warp", {"shfl", "vote", "match", "redux", "activemask", "elect"}},
    {"control", {"bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep", "pmevent", "setmaxnreg"}},
    {"synchronization",
     {"bar", "barrier", "mbarrier", "fence", "membar", "griddepcontrol", "clusterlaunchcontrol"}},
    {"copy", {"cp", "tensormap", "multimem"}},
    {"tensor", {"mma", "wmma", "wgmma", "tcgen05"}},
};

bool isFloat(std::string_view type) {
  return type.starts_with("f") || type.starts_with("bf") || type.starts_with("tf");
}

bool isType(std::string_view modifier) {
  size_t digit = modifier.find_first_of("0123456789");
  constexpr std::string_view kKinds[] = {"s", "u", "b", "f", "bf", "tf"};
  return digit != modifier.npos && std::ranges::count(kKinds, modifier.substr(0, digit));
}

} // namespace

std::string opcodeName(const ptx::Instruction &source) {
  static constexpr std::string_view kTelling[] = {
      "global", "shared",   "local",    "param",  "mma",    "ld",          "st",
      "cp",     "bulk",     "try_wait", "arrive", "commit", "shared::cta", "shared::cluster",
      "alloc",  "mma_async"};
  bool isTyped = std::ranges::count(kTyped, std::string_view(source.opcode));
  for (const std::string &modifier : source.modifiers)
    if (isTyped ? isType(modifier) : std::ranges::count(kTelling, std::string_view(modifier)) != 0)
      return source.opcode + "." + modifier.substr(0, modifier.find(':'));
  return source.opcode;
}

std::string_view instructionClass(std::string_view opcodeName) {
  size_t dot = std::min(opcodeName.find('.'), opcodeName.size());
  std::string_view opcode = opcodeName.substr(0, dot), rest = opcodeName.substr(dot);
  if (std::ranges::count(kTyped, opcode)) return isFloat(rest.substr(!rest.empty())) ? "float" : "integer";
  for (const OpcodeClass &row : kClasses)
    if (std::ranges::count(row.opcodes, opcode)) return row.name;
  return "other";
}

} // namespace mxc::sim
