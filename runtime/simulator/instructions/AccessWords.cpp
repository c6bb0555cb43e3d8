#include "runtime/simulator/instructions/AccessWords.h"

#include <cstdlib>

namespace mxc::sim {

using ptx::Space;

AccessWords takeAccessWords(Decoder &d) {
  struct Word {
    std::string_view name;
    Space space;
  };
  static constexpr Word kSpaces[] = {
      {"global", Space::Global},          {"shared", Space::Shared},     {"shared::cta", Space::Shared},
      {"shared::cluster", Space::Shared}, {"local", Space::Local},       {"param", Space::Param},
      {"param::entry", Space::Param},     {"param::func", Space::Param}, {"const", Space::Const},
  };
  AccessWords words;
  for (const Word &word : kSpaces)
    if (d.take(word.name)) {
      words.space = word.space;
      break;
    }
  std::string_view order = d.takeOneOf({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile"});
  words.isStrong = !order.empty() && order != "weak";
  words.isAcquire = order == "acquire" || order == "acq_rel";
  words.isRelease = order == "release" || order == "acq_rel";
  d.ignore({"mmio", "cta", "cluster", "gpu", "sys"});
  d.ignore({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"});
  for (std::string hint; d.takePrefix("L1::", hint) || d.takePrefix("L2::", hint);)
    words.hasCacheHint |= hint == "L2::cache_hint";
  return words;
}

uint32_t takeVectorLength(Decoder &d) {
  std::string_view word = d.takeOneOf({"v2", "v4", "v8"});
  return word.empty() ? 1 : uint32_t(word[1] - '0');
}

std::vector<const ptx::Operand *> elementsOf(Decoder &d, const ptx::Operand &operand, uint32_t count) {
  std::vector<const ptx::Operand *> elements;
  if (operand.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &part : operand.parts)
      elements.push_back(&part);
  else
    elements.push_back(&operand);
  if (elements.size() != count)
    d.fail("expected " + std::to_string(count) + " elements in braces, found " +
           std::to_string(elements.size()));
  return elements;
}

void requireOperands(Decoder &d, const AccessWords &words, size_t count) {
  size_t found = d.operandCount() - (words.hasCacheHint && d.operandCount() ? 1 : 0);
  if (found != count)
    d.fail("expected " + std::to_string(count) + " operands" +
           (words.hasCacheHint ? " and a cache policy" : "") + ", found " + std::to_string(d.operandCount()));
}

} // namespace mxc::sim
