// What a text may hold before MLIR's parser sees it. The parser recurses as deep as the text nests and
// expands aliases as often as they are named: text of strangers would overflow the stack, or print without
// end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// What a text has too much of, and where.
struct TextExcess {
  std::string what; // "nested deeper than 256"
  size_t line = 1, column = 1;
  std::string text(std::string_view sourceName) const; // "k.mlir:3:7: error: nested deeper than 256"
};

/// Nesting of brackets beyond 256, aliases within aliases included; 512 operators in a row; a word beyond
/// 4,096 letters; aliases that stand for more than 2^20 words each or 2^24 together. Nothing: MLIR may parse
/// it.
std::optional<TextExcess> excessOf(std::string_view mlir);

} // namespace mxc
