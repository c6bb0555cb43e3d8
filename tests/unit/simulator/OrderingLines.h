// Lines of PTX that order, start, announce or end something: what mutation tests take out.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

inline std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

inline constexpr std::string_view kOrdering[] = {
    "mbarrier.",
    "fence.",
    "bar.",
    "barrier.",
    "griddepcontrol.",
    "cp.async.commit_group",
    "cp.async.wait_",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group",
    "wgmma.fence",
    "wgmma.commit_group",
    "wgmma.wait_group",
    "tcgen05.fence",
    "tcgen05.wait",
    "tcgen05.commit",
    "tcgen05.relinquish_alloc_permit",
    "tcgen05.dealloc",
    "clusterlaunchcontrol.try_cancel",
};

/// A line of code without its comment; blanks in front and a guard are left out.
inline bool ordersSomething(std::string_view code) {
  code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
  if (code.starts_with("@")) code.remove_prefix(std::min(code.find_first_of(" \t"), code.size()));
  code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
  return std::ranges::any_of(kOrdering, [&](std::string_view word) { return code.starts_with(word); });
}
