// A tile as the ABI prints it, from the clauses that it was asked for with.
#pragma once

#include <string>
#include <utility>
#include <vector>

/// "warps = 4" to "#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 4, ..>": the rest are the
/// defaults of #mx.quantize_tile (MxAttributes.td).
inline std::string wholeTile(const std::string &clauses) {
  std::vector<std::pair<std::string, std::string>> parameters = {
      {"variant", "direct"},  {"warps", "8"},       {"rows_per_warp", "4"},
      {"lane_elements", "8"}, {"access", "vector"}, {"order", "columns"}};
  for (size_t at = 0; at < clauses.size();) {
    size_t end = std::min(clauses.find(", ", at), clauses.size()), equals = clauses.find(" = ", at);
    std::string name = clauses.substr(at, equals - at), value = clauses.substr(equals + 3, end - equals - 3);
    bool isKnown = false;
    for (auto &[known, standing] : parameters)
      if (known == name) standing = value, isKnown = true;
    if (!isKnown) parameters.emplace_back(name, value);
    at = end + 2;
  }
  std::string text;
  for (const auto &[name, value] : parameters)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return "#mx.quantize_tile<" + text + ">";
}
