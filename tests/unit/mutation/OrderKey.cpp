#include "tests/unit/mutation/OrderKey.h"

#include "tests/unit/mutation/Mutants.h"
#include "tests/unit/simulator/OrderingLines.h"

#include <algorithm>
#include <array>
#include <set>

/// "ld.global" of "ld.global.v4.b32", whole opcodes of copies; "": no access.
static std::string accessOf(const std::string &opcode) {
  static constexpr std::array<std::string_view, 3> kSpaces = {".global", ".shared::cluster", ".shared"};
  const std::string word = opcode.substr(0, opcode.find('.'));
  if (word == "ld" || word == "st") {
    auto space = std::ranges::find_if(
        kSpaces, [&](std::string_view space) { return opcode.find(space) != opcode.npos; });
    return space == kSpaces.end() ? "" : word + std::string(*space);
  }
  if (word == "cp") return opcode;
  if (word == "wgmma" || word == "tcgen05") return opcode.substr(0, opcode.find('.', word.size() + 1));
  static constexpr std::array<std::string_view, 5> kWords = {"mma", "atom", "red", "ldmatrix", "stmatrix"};
  return std::ranges::find(kWords, word) == kWords.end() ? "" : word;
}

std::string orderKeyOf(const std::string &ptx) {
  std::string key;
  std::set<std::string> accesses;
  for (const std::string &line : linesOf(ptx)) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    const std::string opcode = opcodeOf(line);
    if (ordersSomething(line) || !withoutOrder(line).empty()) {
      for (const std::string &access : accesses)
        key += access + " ";
      key += "> " + opcode + "\n";
      accesses.clear();
    } else if (std::string access = accessOf(opcode); !access.empty()) {
      accesses.insert(access);
    }
  }
  return key;
}
