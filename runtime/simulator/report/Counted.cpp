#include "runtime/simulator/report/Counted.h"

#include <algorithm>

namespace mxc::sim {

std::string_view nameOf(Counted counted) {
  switch (counted) {
  case Counted::Integer:
  case Counted::TypedInteger:
    return "integer";
  case Counted::Float:
  case Counted::TypedFloat:
    return "float";
  case Counted::Compare:
    return "compare";
  case Counted::Convert:
    return "convert";
  case Counted::Move:
    return "move";
  case Counted::Memory:
    return "memory";
  case Counted::Atomic:
    return "atomic";
  case Counted::Warp:
    return "warp";
  case Counted::Control:
    return "control";
  case Counted::Synchronization:
    return "synchronization";
  case Counted::Copy:
    return "copy";
  case Counted::Tensor:
    return "tensor";
  case Counted::Other:
    return "other";
  }
  return "other";
}

static bool isType(std::string_view modifier) {
  size_t digit = modifier.find_first_of("0123456789");
  constexpr std::string_view kKinds[] = {"s", "u", "b", "f", "bf", "tf"};
  return digit != modifier.npos && std::ranges::count(kKinds, modifier.substr(0, digit));
}

std::string opcodeName(const ptx::Instruction &source, Counted counted) {
  static constexpr std::string_view kTelling[] = {
      "global", "shared",   "local",    "param",  "mma",    "ld",          "st",
      "cp",     "bulk",     "try_wait", "arrive", "commit", "shared::cta", "shared::cluster",
      "alloc",  "mma_async"};
  const bool isTyped = counted == Counted::TypedInteger || counted == Counted::TypedFloat;
  for (const std::string &modifier : source.modifiers)
    if (isTyped ? isType(modifier) : std::ranges::count(kTelling, std::string_view(modifier)) != 0)
      return source.opcode + "." + modifier.substr(0, modifier.find(':'));
  return source.opcode;
}

} // namespace mxc::sim
