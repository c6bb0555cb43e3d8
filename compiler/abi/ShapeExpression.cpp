#include "compiler/abi/ShapeExpression.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace mxc {
namespace {

constexpr int kMaxDepth = 100; // of parentheses and signs: hostile text must not overflow the stack

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
/// While `live` is false (syntax checks, the unused side of && and ||) values mean nothing and no arithmetic fails.
// clang-format on
class ShapeParser {
public:
  ShapeParser(std::string_view text, const Dimensions &dimensions, bool live)
      : text(text), dimensions(dimensions), live(live) {}

  int64_t parse() {
    const int64_t value = parseOr();
    skipSpace();
    if (position != text.size()) fail("expected an operator", position);
    return value;
  }

private:
  [[noreturn]] void fail(const std::string &what, size_t at) const;
  void skipSpace();
  bool take(std::string_view token);
  void expect(std::string_view token);

  int64_t parseOr();
  int64_t parseAnd();
  int64_t parseEquality();
  int64_t parseRelation();
  int64_t parseSum();
  int64_t parseProduct();
  int64_t parseUnary();
  int64_t parsePrimary();
  int64_t parseInteger();
  int64_t parseNameOrCall();
  int64_t parseUnlessDecided(int64_t (ShapeParser::*operand)(), bool decided);

  int64_t floorDivide(int64_t a, int64_t b, size_t at) const;
  int64_t floorRemainder(int64_t a, int64_t b, size_t at) const;
  int64_t ceilDivide(int64_t a, int64_t b, size_t at) const;
  int64_t checked(bool overflow, int64_t value, size_t at) const {
    if (overflow && live) fail("the value does not fit in 64 bits", at);
    return overflow ? 0 : value;
  }

  const std::string_view text;
  const Dimensions &dimensions;
  bool live;
  size_t position = 0;
  int depth = 0;
};

void ShapeParser::fail(const std::string &what, size_t at) const {
  // Long or unprintable text is shown in part: the message must stay readable.
  const size_t begin = at > 50 ? at - 50 : 0;
  std::string excerpt(text.substr(begin, 100));
  for (char &c : excerpt)
    if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
  const std::string lead = begin > 0 ? "..." : "", tail = begin + 100 < text.size() ? "..." : "";
  throw Error(ErrorKind::InvalidInput, "shape expression \"" + lead + excerpt + tail + "\": " + what +
                                           " at column " + std::to_string(at + 1) + "\n  " + lead + excerpt +
                                           tail + "\n  " + std::string(lead.size() + at - begin, ' ') + "^");
}

void ShapeParser::skipSpace() {
  while (position < text.size() && (text[position] == ' ' || text[position] == '\t'))
    ++position;
}

bool ShapeParser::take(std::string_view token) {
  skipSpace();
  if (text.substr(position, token.size()) != token) return false;
  position += token.size();
  return true;
}

void ShapeParser::expect(std::string_view token) {
  if (!take(token)) fail("expected '" + std::string(token) + "'", position);
}

/// The right side of && and ||: parsed, but not evaluated once the left side decided.
int64_t ShapeParser::parseUnlessDecided(int64_t (ShapeParser::*operand)(), bool decided) {
  const bool wasLive = live;
  live = live && !decided;
  const int64_t value = (this->*operand)();
  live = wasLive;
  return value;
}

int64_t ShapeParser::parseOr() {
  int64_t value = parseAnd();
  while (take("||")) {
    const int64_t right = parseUnlessDecided(&ShapeParser::parseAnd, value != 0);
    value = value != 0 || right != 0;
  }
  return value;
}

int64_t ShapeParser::parseAnd() {
  int64_t value = parseEquality();
  while (take("&&")) {
    const int64_t right = parseUnlessDecided(&ShapeParser::parseEquality, value == 0);
    value = value != 0 && right != 0;
  }
  return value;
}

int64_t ShapeParser::parseEquality() {
  int64_t value = parseRelation();
  while (true) {
    if (take("=="))
      value = value == parseRelation();
    else if (take("!="))
      value = value != parseRelation();
    else
      return value;
  }
}

int64_t ShapeParser::parseRelation() {
  int64_t value = parseSum();
  while (true) {
    if (take("<="))
      value = value <= parseSum();
    else if (take(">="))
      value = value >= parseSum();
    else if (take("<"))
      value = value < parseSum();
    else if (take(">"))
      value = value > parseSum();
    else
      return value;
  }
}

int64_t ShapeParser::parseSum() {
  int64_t value = parseProduct(), result = 0;
  while (true) {
    skipSpace();
    const size_t at = position;
    bool overflow;
    if (take("+"))
      overflow = __builtin_add_overflow(value, parseProduct(), &result);
    else if (take("-"))
      overflow = __builtin_sub_overflow(value, parseProduct(), &result);
    else
      return value;
    value = checked(overflow, result, at);
  }
}

int64_t ShapeParser::parseProduct() {
  int64_t value = parseUnary(), result = 0;
  while (true) {
    skipSpace();
    const size_t at = position;
    if (take("*")) {
      const bool overflow = __builtin_mul_overflow(value, parseUnary(), &result);
      value = checked(overflow, result, at);
    } else if (take("/")) {
      value = floorDivide(value, parseUnary(), at);
    } else if (take("%")) {
      value = floorRemainder(value, parseUnary(), at);
    } else {
      return value;
    }
  }
}

int64_t ShapeParser::parseUnary() {
  skipSpace();
  const size_t at = position;
  if (!take("-")) return parsePrimary();
  if (++depth > kMaxDepth) fail("nested too deeply", at);
  int64_t result;
  const bool overflow = __builtin_sub_overflow(int64_t(0), parseUnary(), &result);
  --depth;
  return checked(overflow, result, at);
}

int64_t ShapeParser::parsePrimary() {
  skipSpace();
  const size_t at = position;
  if (take("(")) {
    if (++depth > kMaxDepth) fail("nested too deeply", at);
    const int64_t value = parseOr();
    expect(")");
    --depth;
    return value;
  }
  const char c = at < text.size() ? text[at] : '\0';
  if (std::isdigit(static_cast<unsigned char>(c))) return parseInteger();
  if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') return parseNameOrCall();
  fail("expected a value", at);
}

int64_t ShapeParser::parseInteger() {
  const size_t at = position;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  position = size_t(end - text.data());
  if (error != std::errc()) fail("the value does not fit in 64 bits", at);
  return value;
}

int64_t ShapeParser::parseNameOrCall() {
  const size_t at = position;
  const auto isNamePart = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  while (position < text.size() && isNamePart(static_cast<unsigned char>(text[position])))
    ++position;
  const std::string name(text.substr(at, position - at));
  if (take("(")) {
    constexpr std::array<std::string_view, 3> functions = {"ceildiv", "min", "max"};
    if (std::find(functions.begin(), functions.end(), name) == functions.end())
      fail("unknown function '" + name + "'", at);
    if (++depth > kMaxDepth) fail("nested too deeply", at);
    const int64_t a = parseOr();
    expect(",");
    const int64_t b = parseOr();
    expect(")");
    --depth;
    if (name == "ceildiv") return ceilDivide(a, b, at);
    return name == "min" ? std::min(a, b) : std::max(a, b);
  }
  const auto found = dimensions.find(name);
  if (found == dimensions.end()) fail("unknown dimension '" + name + "'", at);
  return found->second;
}

int64_t ShapeParser::floorDivide(int64_t a, int64_t b, size_t at) const {
  if (!live) return 0;
  if (b == 0) fail("division by zero", at);
  if (b == -1) { // INT64_MIN / -1 traps
    int64_t result;
    const bool overflow = __builtin_sub_overflow(int64_t(0), a, &result);
    return checked(overflow, result, at);
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t ShapeParser::floorRemainder(int64_t a, int64_t b, size_t at) const {
  if (!live) return 0;
  if (b == 0) fail("division by zero", at);
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

int64_t ShapeParser::ceilDivide(int64_t a, int64_t b, size_t at) const {
  return floorDivide(a, b, at) + (live && floorRemainder(a, b, at) != 0);
}

} // namespace

int64_t evaluateShape(std::string_view text, const Dimensions &dimensions) {
  return ShapeParser(text, dimensions, true).parse();
}

void checkShape(std::string_view text, std::span<const std::string> dimensions) {
  Dimensions known;
  for (const std::string &name : dimensions)
    known.emplace(name, 1);
  ShapeParser(text, known, false).parse();
}

} // namespace mxc
