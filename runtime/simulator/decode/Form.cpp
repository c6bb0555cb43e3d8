#include "runtime/simulator/decode/Form.h"

#include <algorithm>

namespace mxc::sim {

/// Takes the first word off "v4.*64".
static std::string_view takeWord(std::string_view &form) {
  std::string_view word = form.substr(0, form.find('.'));
  form.remove_prefix(std::min(word.size() + 1, form.size()));
  return word;
}

static bool isWord(std::string_view pattern, std::string_view word) {
  size_t star = pattern.find('*');
  if (star == pattern.npos) return word == pattern;
  return word.size() + 1 >= pattern.size() && word.starts_with(pattern.substr(0, star)) &&
         word.ends_with(pattern.substr(star + 1));
}

bool hasForm(const ptx::Instruction &source, std::string_view form) {
  while (!form.empty()) {
    std::string_view pattern = takeWord(form);
    if (std::ranges::none_of(source.modifiers, [&](const auto &word) { return isWord(pattern, word); }))
      return false;
  }
  return true;
}

} // namespace mxc::sim
