// Constant expressions: C's operators on 64-bit integers (PTX ISA, "Constant Expressions").
#include "runtime/simulator/ptx/Parser.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {

struct Operator {
  std::string_view sign;
  int precedence;
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

int precedenceOf(const Token &token) {
  if (token.kind != Token::Kind::Sign) return 0;
  const Operator *found = std::ranges::find(kOperators, token.text, &Operator::sign);
  return found == std::end(kOperators) ? 0 : found->precedence;
}

} // namespace

bool Parser::beginsConstant() {
  const Token &token = peek();
  return token.kind == Token::Kind::Number || token.is("-") || token.is("+") || token.is("~") ||
         token.is("!") || token.is("(") || token.isWord("WARP_SZ");
}

Integer Parser::constant(int lowestPrecedence) {
  Nesting nesting(*this);
  Integer left = unaryConstant();
  for (int precedence; (precedence = precedenceOf(peek())) > lowestPrecedence;) {
    const Token sign = next();
    left = binaryConstant(sign.text, left, constant(precedence), sign.place);
  }
  if (lowestPrecedence != 0 || !accept("?")) return left;
  const Integer yes = constant();
  expect(":", "in a constant expression");
  const Integer no = constant();
  return left.bits ? yes : no;
}

Integer Parser::unaryConstant() {
  Nesting nesting(*this);
  if (!beginsConstant()) failExpected("a number");
  const Token token = next();
  if (token.is("-")) {
    Integer value = unaryConstant();
    return {int64_t(0 - uint64_t(value.bits)), value.isUnsigned};
  }
  if (token.is("+")) return unaryConstant();
  if (token.is("~")) {
    Integer value = unaryConstant();
    return {~value.bits, value.isUnsigned};
  }
  if (token.is("!")) return {unaryConstant().bits == 0, false};
  if (token.isWord("WARP_SZ")) return {32, false};
  if (token.is("(")) {
    const bool isSigned = peek().isDotted("s64");
    if (isSigned || peek().isDotted("u64")) { // a cast
      next();
      expect(")", "after a cast's type");
      return {unaryConstant().bits, !isSigned};
    }
    Integer value = constant();
    expect(")", "in a constant expression");
    return value;
  }
  std::optional<Integer> value = integerOf(token.text);
  if (!value) fail(token.place, "expected an integer of 64 bits, got " + described(token));
  return *value;
}

Integer Parser::binaryConstant(std::string_view sign, Integer left, Integer right, Place place) {
  const bool isUnsigned = left.isUnsigned || right.isUnsigned;
  const uint64_t a = uint64_t(left.bits), b = uint64_t(right.bits);
  const auto result = [&](uint64_t bits) { return Integer{int64_t(bits), isUnsigned}; };
  const auto truth = [](bool value) { return Integer{value, false}; };
  const bool isLess = isUnsigned ? a < b : left.bits < right.bits;
  if (sign == "+") return result(a + b);
  if (sign == "-") return result(a - b);
  if (sign == "*") return result(a * b);
  if (sign == "&") return result(a & b);
  if (sign == "|") return result(a | b);
  if (sign == "^") return result(a ^ b);
  if (sign == "&&") return truth(a && b);
  if (sign == "||") return truth(a || b);
  if (sign == "==") return truth(a == b);
  if (sign == "!=") return truth(a != b);
  if (sign == "<") return truth(isLess);
  if (sign == ">=") return truth(!isLess);
  if (sign == ">") return truth(!isLess && a != b);
  if (sign == "<=") return truth(isLess || a == b);
  if (sign == "<<") return {int64_t(b > 63 ? 0 : a << b), left.isUnsigned};
  if (sign == ">>" && left.isUnsigned) return {int64_t(b > 63 ? 0 : a >> b), true};
  if (sign == ">>") return {left.bits >> std::min<uint64_t>(b, 63), false};
  if (b == 0) fail(place, "division by zero in a constant expression");
  if (isUnsigned) return result(sign == "/" ? a / b : a % b);
  if (right.bits == -1) return result(sign == "/" ? 0 - a : 0); // INT64_MIN / -1 would trap
  return result(uint64_t(sign == "/" ? left.bits / right.bits : left.bits % right.bits));
}

uint64_t Parser::count(const std::string &what, uint64_t least, uint64_t most) {
  const Token token = peek();
  if (!beginsConstant()) failExpected(what);
  const Integer value = constant();
  if ((value.bits < 0 && !value.isUnsigned) || uint64_t(value.bits) < least || uint64_t(value.bits) > most)
    fail(token.place,
         "expected " + what + " from " + std::to_string(least) + " to " + std::to_string(most) + ", got " +
             (value.isUnsigned ? std::to_string(uint64_t(value.bits)) : std::to_string(value.bits)));
  return uint64_t(value.bits);
}

} // namespace mxc::sim::ptx
