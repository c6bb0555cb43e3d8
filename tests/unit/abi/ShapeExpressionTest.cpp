#include "compiler/abi/ShapeExpression.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace mxc;
using Catch::Matchers::Contains;

namespace {

const Dimensions kDimensions = {{"M", 300}, {"K", 4096}, {"zero", 0}, {"_n2", -7}};

int64_t value(const std::string &text) { return evaluateShape(text, kDimensions); }

std::string errorOf(const std::string &text) {
  try {
    evaluateShape(text, kDimensions);
  } catch (const Error &error) {
    CHECK(error.kind() == ErrorKind::InvalidInput);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("values and precedence") {
  const auto [text, expected] = GENERATE(table<std::string, int64_t>({
      {"128", 128},
      {" M ", 300},
      {"_n2", -7},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 4 - 3", 3},
      {"100 / 10 / 5", 2},
      {"7 - -2", 9},
      {"--3", 3},
      {"-2 * 3", -6},
      {"ceildiv(K, 256)", 16},
      {"ceildiv(M, 128) * ceildiv(K, 4096)", 3},
      {"min(M, 65535) + max(1, 2)", 302},
      {"M <= 128 && K % 8 == 0", 0},
      {"M > 128 && K % 8 == 0", 1},
      {"1 || 0 && 0", 1},
      {"1 + 1 == 2", 1},
      {"1 < 2 == 1", 1},
      {"3 != 3 || 2 >= 2", 1},
      {"5 && 7", 1},
      {"0 || 9", 1},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775807 - 1", INT64_MIN},
  }));
  CAPTURE(text);
  CHECK(value(text) == expected);
}

TEST_CASE("division and remainder round down, ceildiv rounds up") {
  CHECK(value("-7 / 2") == -4);
  CHECK(value("7 / -2") == -4);
  CHECK(value("-8 / 2") == -4);
  CHECK(value("-7 % 2") == 1);
  CHECK(value("7 % -2") == -1);
  CHECK(value("ceildiv(-7, 2)") == -3);
  CHECK(value("ceildiv(8, 2)") == 4);
  CHECK(value("ceildiv(0, 5)") == 0);
}

TEST_CASE("the unused side of && and || is not evaluated") {
  CHECK(value("zero != 0 && M / zero > 1") == 0);
  CHECK(value("zero == 0 || M % zero == 0") == 1);
  CHECK(value("0 && 9223372036854775807 + 1") == 0);
  CHECK_THAT(errorOf("1 && M / zero"), Contains("division by zero"));
  CHECK_THAT(errorOf("0 && nowhere"), Contains("unknown dimension 'nowhere'"));
}

TEST_CASE("values beyond 64 bits are errors") {
  for (const char *text :
       {"9223372036854775808", "9223372036854775807 + 1", "-9223372036854775807 - 2",
        "4294967296 * 4294967296", "-(-9223372036854775807 - 1)", "(-9223372036854775807 - 1) / -1",
        "99999999999999999999999999", "ceildiv(-9223372036854775807 - 1, -1)"})
    CHECK_THAT(errorOf(text), Contains("does not fit in 64 bits"));
  CHECK(value("(-9223372036854775807 - 1) % -1") == 0);
}

TEST_CASE("syntax errors quote the text and point at the column") {
  CHECK(errorOf("M + / 2") ==
        "shape expression \"M + / 2\": expected a value at column 5\n  M + / 2\n      ^");
  CHECK_THAT(errorOf(""), Contains("expected a value at column 1"));
  CHECK_THAT(errorOf("M 2"), Contains("expected an operator at column 3"));
  CHECK_THAT(errorOf("(M"), Contains("expected ')' at column 3"));
  CHECK_THAT(errorOf("min(M)"), Contains("expected ',' at column 6"));
  CHECK_THAT(errorOf("sqrt(M)"), Contains("unknown function 'sqrt' at column 1"));
  CHECK_THAT(errorOf("M + N"), Contains("unknown dimension 'N' at column 5"));
  CHECK_THAT(errorOf("M & K"), Contains("expected an operator at column 3"));
  CHECK_THAT(errorOf("M = K"), Contains("expected an operator"));
  CHECK_THAT(errorOf("M / zero"), Contains("division by zero at column 3"));
  CHECK_THAT(errorOf("M % 0"), Contains("division by zero"));
  CHECK_THAT(errorOf("ceildiv(M, 0)"), Contains("division by zero at column 1"));
  CHECK_THAT(errorOf(std::string("M\0 + 1", 6)), Contains("expected an operator"));
}

TEST_CASE("deep nesting is refused before the stack ends") {
  const std::string hundred(100, '('), closed(100, ')');
  CHECK(value(hundred + "1" + closed) == 1);
  for (const char *opening : {"(", "-", "min(", "-("}) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i)
      text += opening;
    CHECK_THAT(errorOf(text + "1"), Contains("nested too deeply"));
  }
}

TEST_CASE("messages about long or binary text stay short") {
  const std::string message = errorOf(std::string(100'000, '1') + "\n\x01");
  CHECK(message.size() < 600);
  CHECK(errorOf("M \n\x01\xff") ==
        "shape expression \"M ???\": expected an operator at column 3\n  M ???\n    ^");
}

TEST_CASE("checkShape accepts what evaluates for some sizes and refuses the rest") {
  const std::vector<std::string> names = {"M", "K"};
  CHECK_NOTHROW(checkShape("M / (K - 1) + 9223372036854775807 * K", names));
  CHECK_NOTHROW(checkShape("M % 0", names));
  CHECK_THROWS_AS(checkShape("M / N", names), Error);
  CHECK_THROWS_AS(checkShape("M +", names), Error);
  CHECK_THROWS_AS(checkShape("", names), Error);
}
