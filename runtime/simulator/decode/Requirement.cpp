#include "runtime/simulator/decode/Requirement.h"

#include <algorithm>

namespace mxc::sim {

/// Takes the first word off "v4.*64".
static std::string_view takeWord(std::string_view &form) {
  std::string_view word = form.substr(0, form.find('.'));
  form.remove_prefix(std::min(word.size() + 1, form.size()));
  return word;
}

static bool isWord(std::string_view pattern, std::string_view word) {
  size_t star = pattern.find('*'); // stands for any letters
  if (star == pattern.npos) return word == pattern;
  return word.size() + 1 >= pattern.size() && word.starts_with(pattern.substr(0, star)) &&
         word.ends_with(pattern.substr(star + 1));
}

static bool hasForm(const ptx::Instruction &source, std::string_view form) {
  while (!form.empty()) {
    std::string_view pattern = takeWord(form);
    if (std::ranges::none_of(source.modifiers, [&](const auto &word) { return isWord(pattern, word); }))
      return false;
  }
  return true;
}

static std::string chipsOf(TargetName target) {
  if (target.suffix == 'f') return target.text() + " (" + std::to_string(target.major()) + ".x)";
  return target.suffix ? target.text() : target.text() + " or later";
}

std::string lackOf(std::span<const Requirement> requirements, const ptx::Instruction &source,
                   TargetName chip) {
  for (const Requirement &requirement : requirements) {
    if (requirement.target.ptxRunsOn(chip) || source.operands.size() < requirement.operands ||
        !hasForm(source, requirement.form))
      continue;
    std::string subject;
    if (!requirement.form.empty()) subject = "." + std::string(requirement.form) + " ";
    if (requirement.operands) subject += "with " + std::to_string(requirement.operands) + " operands ";
    return subject + (requirement.isOfModel ? "is modelled for " : "needs ") + chipsOf(requirement.target) +
           ", this is " + chip.text();
  }
  return "";
}

} // namespace mxc::sim
