// Tensors chosen by patterns of their names.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace mxc {

/// A shell's pattern: * is any characters, dots too, ? is one, [..] one of those.
bool matchesPattern(const std::string &pattern, const std::string &name);

/// Names that match one of `only` and none of `except`.
struct NameSelection {
  std::vector<std::string> only, except;

  bool selects(const std::string &name) const;

  /// Throws mxc::Error (InvalidInput) for a pattern of either that matches none of the names of `file`: it is
  /// a mistake.
  void checkUsed(std::span<const std::string> names, const std::string &file) const;
};

/// What is converted where nobody says: weights of linear layers, but for those that models keep as they are:
/// embeddings and output heads, norms, routers and gates of experts.
NameSelection linearWeights();

} // namespace mxc
