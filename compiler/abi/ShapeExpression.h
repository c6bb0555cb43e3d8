// Integer expressions over a kernel's dimensions, as in the ABI's grids, launch conditions, shapes and sizes.
#pragma once

#include "compiler/abi/Dimensions.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct ShapeTree; // a parsed expression
enum class ShapeOp : uint8_t;

/// "M", "128", "ceildiv(K, 256)", "min(M, 65535)", "M <= 128 && K % 8 == 0": integers, names, + - * / %
/// (floor), ceildiv(a, b), min(a, b), max(a, b), comparisons, && and ||, parentheses. Parsed once; a cheap
/// value that copies share. Conditions give 0 or 1; the unused side of && and || is not evaluated.
///
/// Text has up to 4096 characters, 1024 operators and operands, 64 different names, and nests up to 100 deep.
class ShapeExpression {
public:
  ShapeExpression() = default; // nothing: "" as text; what it stands for is its owner's to say
  /// Throws mxc::Error (InvalidInput) on a syntax error, quoting the text and pointing at the place. "" is
  /// nothing.
  ShapeExpression(std::string_view text);
  ShapeExpression(const std::string &text) : ShapeExpression(std::string_view(text)) {}
  ShapeExpression(const char *text) : ShapeExpression(std::string_view(text)) {}
  ShapeExpression(std::integral auto value) : ShapeExpression(number(value)) {}
  /// The same for files built without exceptions: nullopt, with `error` set.
  static std::optional<ShapeExpression> parse(std::string_view text, std::string &error);

  bool empty() const { return !tree_; }
  const std::string &text() const;              // as it was written, or as substitute and fold print it
  std::span<const std::string> names() const;   // each once, in the order of their first use
  std::optional<std::string_view> name() const; // of an expression that is a name and nothing else
  std::optional<int64_t> constant() const;      // of one that names nothing and can be evaluated
  bool operator==(const ShapeExpression &other) const { return text() == other.text(); }

  /// Throws mxc::Error (InvalidInput) on an unknown name (even on an unused side), a division by zero, or a
  /// value beyond 64 bits; the message quotes the expression and points at the place. An empty one: throws.
  int64_t evaluate(const Dimensions &values) const;
  std::optional<int64_t> evaluate(const Dimensions &values, std::string &error) const;

  /// The error of a name that `known` lacks, as evaluate says it; "" if there is none.
  std::string unknownName(std::span<const std::string> known) const;

  ShapeExpression substitute(const Dimensions &values) const; // the names that `values` has become numbers
  /// Evaluates what names nothing and drops what changes nothing (x * 1, x + 0, 1 && condition). What cannot
  /// be evaluated stays as it is.
  ShapeExpression fold() const;
  /// All of them: "a && b && c", with parentheses where needed; nothing of none.
  static ShapeExpression conjunction(std::span<const ShapeExpression> conditions);

  // An expression of expressions, folded. Where one side is empty: the other side.
  static ShapeExpression sum(const ShapeExpression &a, const ShapeExpression &b);
  static ShapeExpression product(const ShapeExpression &a, const ShapeExpression &b);
  static ShapeExpression quotient(const ShapeExpression &a, const ShapeExpression &b); // floor
  static ShapeExpression ceilQuotient(const ShapeExpression &a, const ShapeExpression &b);
  static ShapeExpression minimum(const ShapeExpression &a, const ShapeExpression &b);
  static ShapeExpression maximum(const ShapeExpression &a, const ShapeExpression &b);

private:
  explicit ShapeExpression(std::shared_ptr<const ShapeTree> tree) : tree_(std::move(tree)) {}
  static ShapeExpression number(int64_t value);
  static ShapeExpression joined(ShapeOp op, const ShapeExpression &a, const ShapeExpression &b);
  std::shared_ptr<const ShapeTree> tree_;
};

inline ShapeExpression operator+(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::sum(a, b);
}
inline ShapeExpression operator*(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::product(a, b);
}
inline ShapeExpression operator/(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::quotient(a, b);
}
inline ShapeExpression ceilDiv(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::ceilQuotient(a, b);
}
inline ShapeExpression min(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::minimum(a, b);
}
inline ShapeExpression max(const ShapeExpression &a, const ShapeExpression &b) {
  return ShapeExpression::maximum(a, b);
}

} // namespace mxc
