// Names that a file holds, for messages: a file of strangers may hold any number of them.
#pragma once

#include <string>
#include <vector>

namespace mxc {

inline constexpr size_t kMostNames = 20;

/// "a, b", "a, b, .. and 180 more", "none".
inline std::string nameList(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMostNames; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kMostNames) text += ", .. and " + std::to_string(names.size() - kMostNames) + " more";
  return text.empty() ? "none" : text;
}

} // namespace mxc
