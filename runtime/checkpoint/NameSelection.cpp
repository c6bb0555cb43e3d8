#include "runtime/checkpoint/NameSelection.h"

#include "dialect/formats/Error.h"

#include <algorithm>

namespace mxc {

bool matchesPattern(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = pattern.npos, taken = 0; // the last star, and where the name goes on after it
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1, n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool matchesAny(std::span<const std::string> patterns, std::string_view name) {
  return std::ranges::any_of(patterns,
                             [&](const std::string &pattern) { return matchesPattern(pattern, name); });
}

bool NameSelection::selects(std::string_view name) const {
  return matchesAny(only, name) && !matchesAny(except, name);
}

void NameSelection::checkUsed(std::span<const std::string> names, const std::string &file) const {
  for (const auto *patterns : {&only, &except})
    for (const std::string &pattern : *patterns)
      if (std::ranges::none_of(names, [&](const std::string &name) { return matchesPattern(pattern, name); }))
        throw Error(ErrorKind::InvalidInput, file + ": the pattern '" + pattern + "' (" +
                                                 (patterns == &only ? "--only" : "--except") +
                                                 ") matches no weight");
}

NameSelection linearWeights() {
  return {{"*.weight"},
          {"*embed*", "*lm_head*", "*norm*", "*router*", "*.gate.weight", "*shared_expert_gate.weight"}};
}

} // namespace mxc
