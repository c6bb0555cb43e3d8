// Tensors chosen by patterns of their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// `*` is any characters, dots too, and `?` is one; every other character, brackets too, is itself.
bool matchesPattern(std::string_view pattern, std::string_view name);
bool matchesAny(std::span<const std::string> patterns, std::string_view name);

/// Names that match one of `only` and none of `except`.
struct NameSelection {
  std::vector<std::string> only, except;

  bool selects(std::string_view name) const;

  /// Throws mxc::Error (InvalidInput) for a pattern of either that matches none of the names of `file`: it is
  /// a mistake.
  void checkUsed(std::span<const std::string> names, const std::string &file) const;
};

/// What is converted where nobody says: weights of linear layers, but for those that models keep as they are:
/// embeddings and output heads, norms, routers and gates of experts.
NameSelection linearWeights();

} // namespace mxc
