#include "compiler/abi/ShapeTree.h"
#include "dialect/formats/Error.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>

namespace mxc {
namespace {

// Hostile text must neither overflow the stack nor take long.
constexpr int kMaxDepth = 100; // of parentheses and signs
constexpr size_t kMaxText = 4096, kMaxNodes = 1024;

// clang-format off
/// Recursive descent over
///   or       := and {"||" and}
///   and      := equality {"&&" equality}
///   equality := relation {("==" | "!=") relation}
///   relation := sum {("<" | "<=" | ">" | ">=") sum}
///   sum      := product {("+" | "-") product}
///   product  := unary {("*" | "/" | "%") unary}
///   unary    := "-" unary | primary
///   primary  := integer | name | ("ceildiv" | "min" | "max") "(" or "," or ")" | "(" or ")"
// clang-format on
class ShapeParser {
public:
  explicit ShapeParser(std::string_view text) : text_(text) {}

  ShapeTree parse() {
    if (text_.size() > kMaxText)
      throw Error(ErrorKind::InvalidInput, "shape expression: expected at most " + std::to_string(kMaxText) +
                                               " characters, found " + std::to_string(text_.size()));
    parseBinary(1);
    skipSpace();
    if (position_ != text_.size()) fail("expected an operator", position_);
    tree_.text = text_;
    return std::move(tree_);
  }

private:
  [[noreturn]] void fail(const std::string &what, size_t at) const {
    throw Error(ErrorKind::InvalidInput, shapeError(text_, what, at));
  }
  void skipSpace() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t'))
      ++position_;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected '" + std::string(token) + "'", position_);
  }
  void deepen(size_t at) {
    if (++depth_ > kMaxDepth) fail("nested too deeply", at);
  }

  uint32_t add(ShapeOp op, size_t at, uint32_t left = 0, uint32_t right = 0, int64_t value = 0) {
    if (tree_.nodes.size() >= kMaxNodes) fail("too long", at);
    tree_.nodes.push_back({op, uint32_t(at), left, right, value});
    return uint32_t(tree_.nodes.size() - 1);
  }

  /// The operators of `level`, those that begin with another one's text first.
  std::optional<ShapeOp> takeOperator(int level) {
    for (size_t i = 0; i < size_t(ShapeOp::Negate); ++i)
      if (kShapeOperators[i].level == level && take(kShapeOperators[i].text)) return ShapeOp(i);
    return std::nullopt;
  }

  uint32_t parseBinary(int level) {
    if (level == kUnaryLevel) return parseUnary();
    uint32_t left = parseBinary(level + 1);
    while (true) {
      skipSpace();
      const size_t at = position_;
      const std::optional<ShapeOp> op = takeOperator(level);
      if (!op) return left;
      left = add(*op, at, left, parseBinary(level + 1));
    }
  }

  uint32_t parseUnary() {
    skipSpace();
    const size_t at = position_;
    if (!take("-")) return parsePrimary();
    deepen(at);
    const uint32_t operand = parseUnary();
    --depth_;
    return add(ShapeOp::Negate, at, operand);
  }

  uint32_t parsePrimary() {
    skipSpace();
    const size_t at = position_;
    if (take("(")) {
      deepen(at);
      const uint32_t inside = parseBinary(1);
      expect(")");
      --depth_;
      return inside;
    }
    const char c = at < text_.size() ? text_[at] : '\0';
    if (std::isdigit(static_cast<unsigned char>(c))) return parseInteger();
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') return parseNameOrCall();
    fail("expected a value", at);
  }

  uint32_t parseInteger() {
    const size_t at = position_;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at, text_.data() + text_.size(), value);
    position_ = size_t(end - text_.data());
    if (error != std::errc()) fail("the value does not fit in 64 bits", at);
    return add(ShapeOp::Integer, at, 0, 0, value);
  }

  uint32_t parseNameOrCall() {
    const size_t at = position_;
    const auto isNamePart = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    while (position_ < text_.size() && isNamePart(static_cast<unsigned char>(text_[position_])))
      ++position_;
    const std::string name(text_.substr(at, position_ - at));
    if (take("(")) return parseCall(name, at);
    auto known = std::find(tree_.names.begin(), tree_.names.end(), name);
    if (known == tree_.names.end()) {
      if (tree_.names.size() == kMaxShapeNames) fail("too many names", at);
      known = tree_.names.insert(known, name);
    }
    return add(ShapeOp::Name, at, 0, 0, known - tree_.names.begin());
  }

  uint32_t parseCall(const std::string &name, size_t at) {
    for (ShapeOp op : {ShapeOp::CeilDivide, ShapeOp::Minimum, ShapeOp::Maximum}) {
      if (kShapeOperators[size_t(op)].text != name) continue;
      deepen(at);
      const uint32_t a = parseBinary(1);
      expect(",");
      const uint32_t b = parseBinary(1);
      expect(")");
      --depth_;
      return add(op, at, a, b);
    }
    fail("unknown function '" + name + "'", at);
  }

  const std::string_view text_;
  ShapeTree tree_;
  size_t position_ = 0;
  int depth_ = 0;
};

} // namespace

ShapeTree parseShape(std::string_view text) { return ShapeParser(text).parse(); }

std::string shapeError(std::string_view text, const std::string &what, size_t at) {
  // Long or unprintable text is shown in part: the message must stay readable.
  const size_t begin = at > 50 ? at - 50 : 0;
  std::string excerpt(text.substr(begin, 100));
  for (char &c : excerpt)
    if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
  const std::string lead = begin > 0 ? "..." : "", tail = begin + 100 < text.size() ? "..." : "";
  return "shape expression \"" + lead + excerpt + tail + "\": " + what + " at column " +
         std::to_string(at + 1) + "\n  " + lead + excerpt + tail + "\n  " +
         std::string(lead.size() + at - begin, ' ') + "^";
}

} // namespace mxc
