// The name of what code is compiled for, and which chips run it (CUDA programming guide, "compute
// capability").
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// sm_NN[a|f] or sm_NNN[a|f]: compute capability NN.N, and how far code for it reaches.
struct TargetName {
  int number = 0;  // 100 is capability 10.0
  char suffix = 0; // 'a': that chip alone; 'f': its family, the later ones of its major; 0: all later ones

  constexpr TargetName() = default;
  constexpr TargetName(int major, int minor, char suffix) : number(major * 10 + minor), suffix(suffix) {}
  /// From a literal, which must be one.
  consteval TargetName(const char *literal) : TargetName(parse(literal).value()) {}
  /// Nothing unless all of `text` is such a name; it may come from a file.
  static constexpr std::optional<TargetName> parse(std::string_view text);

  std::string text() const; // "sm_100a"
  constexpr int major() const { return number / 10; }
  constexpr int minor() const { return number % 10; }
  constexpr bool isSameChip(TargetName chip) const { return number == chip.number; }

  /// Whether a chip runs PTX for this target; a chip is named with any suffix.
  constexpr bool ptxRunsOn(TargetName chip) const;

  constexpr bool operator==(const TargetName &) const = default;
};

constexpr std::optional<TargetName> TargetName::parse(std::string_view text) {
  constexpr std::string_view kPrefix = "sm_";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  TargetName name;
  if (text.ends_with('a') || text.ends_with('f')) {
    name.suffix = text.back();
    text.remove_suffix(1);
  }
  if (text.size() < 2 || text.size() > 3 || text.front() == '0') return std::nullopt;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    name.number = name.number * 10 + (digit - '0');
  }
  return name;
}

constexpr bool TargetName::ptxRunsOn(TargetName chip) const {
  switch (suffix) {
  case 'a':
    return isSameChip(chip);
  case 'f':
    return major() == chip.major() && number <= chip.number;
  default:
    return number <= chip.number;
  }
}

} // namespace mxc
