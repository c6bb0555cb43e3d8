#include "runtime/checkpoint/NameSelection.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <fnmatch.h>

namespace mxc {

bool matchesPattern(const std::string &pattern, const std::string &name) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

static bool matchesAny(const std::vector<std::string> &patterns, const std::string &name) {
  return std::ranges::any_of(patterns,
                             [&](const std::string &pattern) { return matchesPattern(pattern, name); });
}

bool NameSelection::selects(const std::string &name) const {
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
