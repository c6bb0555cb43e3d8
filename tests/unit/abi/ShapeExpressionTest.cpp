#include "compiler/abi/ShapeExpression.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace mxc;
using Catch::Matchers::Contains;

namespace {

const Dimensions kDimensions = {{"M", 300}, {"K", 4096}, {"zero", 0}, {"_n2", -7}};

int64_t value(const std::string &text) { return ShapeExpression(text).evaluate(kDimensions); }

std::string errorOf(const std::string &text) {
  try {
    (void)ShapeExpression(text).evaluate(kDimensions);
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
  CHECK_THAT(errorOf(" "), Contains("expected a value at column 2"));
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

TEST_CASE("hostile text is refused before the stack ends, or long passes") {
  const std::string hundred(100, '('), closed(100, ')');
  CHECK(value(hundred + "1" + closed) == 1);
  for (const char *opening : {"(", "-", "min(", "-("}) {
    std::string text;
    for (int i = 0; i < 101; ++i)
      text += opening;
    CHECK_THAT(errorOf(text + "1"), Contains("nested too deeply"));
  }
  std::string sum = "M", names = "n0";
  for (int i = 1; i < 512; ++i)
    sum += " + M";
  CHECK(value(sum) == 512 * 300); // 1023 operators and operands
  CHECK_THAT(errorOf(sum + " + M"), Contains("too long"));
  for (int i = 1; i < 65; ++i)
    names += "+n" + std::to_string(i);
  CHECK_THAT(errorOf(names), Contains("too many names"));
  CHECK_THAT(errorOf(std::string(4097, ' ')), Contains("at most 4096 characters, found 4097"));
}

TEST_CASE("messages about long or binary text stay short") {
  CHECK(errorOf(std::string(4000, '1') + "\n\x01").size() < 600);
  CHECK(errorOf("M \n\x01\xff") ==
        "shape expression \"M ???\": expected an operator at column 3\n  M ???\n    ^");
}

TEST_CASE("syntax and names are checked without values") {
  const std::vector<std::string> names = {"M", "K"};
  for (const char *text : {"M / (K - 1) + 9223372036854775807 * K", "M % 0", "", "7"})
    CHECK(ShapeExpression(text).unknownName(names).empty());
  CHECK(ShapeExpression("M / N").unknownName(names) ==
        "shape expression \"M / N\": unknown dimension 'N' at column 5\n  M / N\n      ^");
  std::string error;
  CHECK(!ShapeExpression::parse("M +", error));
  CHECK_THAT(error, Contains("expected a value"));
  CHECK(ShapeExpression::parse("M + 1", error)->names().front() == "M");
}

TEST_CASE("what an expression says of itself") {
  CHECK(ShapeExpression("").empty());
  CHECK(ShapeExpression("M").name() == "M");
  CHECK(ShapeExpression("(M)").name() == "M");
  CHECK(!ShapeExpression("M + 0").name());
  CHECK(ShapeExpression("2 * 3").constant() == 6);
  CHECK(!ShapeExpression("2 * M").constant());
  CHECK(!ShapeExpression("2 / 0").constant());
  CHECK(!ShapeExpression("").constant());
  CHECK(ShapeExpression("min(K,M )  + M").text() == "min(K,M )  + M"); // as it was written
  CHECK(ShapeExpression("min(K, M) + M").names().size() == 2);
}

TEST_CASE("substitution prints what is left, with the parentheses that it needs") {
  const auto put = [](const char *text) {
    return ShapeExpression(text).substitute({{"M", -5}, {"N", 7}}).text();
  };
  CHECK(put("M") == "-5");
  CHECK(put("(K * M) - (N - K)") == "K * -5 - (7 - K)");
  CHECK(put("K - -M") == "K - --5");
  CHECK(put("((K + N) * 2) % 3") == "(K + 7) * 2 % 3");
  CHECK(put("K / (N * 2)") == "K / (7 * 2)");
  CHECK(put("ceildiv((K), max(N, K))") == "ceildiv(K, max(7, K))");
  CHECK(put("(K < N || N < K) && K") == "(K < 7 || 7 < K) && K");
}

TEST_CASE("folding evaluates constants and drops what changes nothing") {
  const auto [text, folded] = GENERATE(table<const char *, const char *>({
      {"2 * 3 + K", "6 + K"},
      {"K * 1 + 0", "K"},
      {"1 * ceildiv(K, 1)", "K"},
      {"K + (3 - 1) * M", "K + 2 * M"},
      {"4 % 8 == 4 && K < 3", "K < 3"},
      {"K < 3 && 1 == 1", "K < 3"},
      {"K < 3 || 2 > 1", "K < 3 || 1"}, // K's side comes first
      {"2 > 1 || K / 0 == 1", "1"},
      {"0 && K", "0"},
      {"1 && K", "1 && K"}, // 0 or 1, not K
      {"K && 1", "K && 1"},
      {"M / 0", "M / 0"},
      {"7 / 0 + 2 * 2", "7 / 0 + 4"},
      {"-(2 + 3)", "-5"},
      {"-9223372036854775807 - 1", "-9223372036854775807 - 1"},
      {"K * (-9223372036854775807 - 1)", "K * (-9223372036854775807 - 1)"},
      {"9223372036854775807 + 1", "9223372036854775807 + 1"},
      {"K", "K"},
  }));
  CAPTURE(text);
  const ShapeExpression result = ShapeExpression(text).fold();
  CHECK(result.text() == folded);
  CHECK(result.fold().text() == folded);
  CHECK(ShapeExpression(result.text()).text() == folded); // it reads back
}

TEST_CASE("what is substituted and folded keeps its value") {
  const char *texts[] = {"min(ceildiv(M, 128) * ceildiv(K, 256), 132)",
                         "K % 8 == 0 && M <= 2147418112 && (M < 9)", "(M - 1) / 3 * 3 + (M - 1) % 3",
                         "0 - (M - (K - M))", "M < K == 1 || K < M"};
  for (const char *text : texts)
    for (int64_t m : {-3, 0, 1, 129})
      for (int64_t k : {-8, 1, 256}) {
        CAPTURE(text, m, k);
        const int64_t expected = ShapeExpression(text).evaluate({{"M", m}, {"K", k}});
        CHECK(ShapeExpression(text).substitute({{"M", m}}).fold().evaluate({{"K", k}}) == expected);
        CHECK(ShapeExpression(text).substitute({{"M", m}, {"K", k}}).fold().constant() == expected);
      }
}

TEST_CASE("errors of what was substituted point into what is left") {
  CHECK_THROWS_WITH(
      ShapeExpression("(K + 1) / M").substitute({{"M", 0}}).evaluate({{"K", 1}}),
      "shape expression \"(K + 1) / 0\": division by zero at column 9\n  (K + 1) / 0\n          ^");
}

TEST_CASE("a conjunction parenthesizes its parts") {
  const ShapeExpression parts[] = {"K % 8 == 0", "", "M < 3 || K < 3", "M < 9 && K"};
  CHECK(ShapeExpression::conjunction(parts).text() == "K % 8 == 0 && (M < 3 || K < 3) && (M < 9 && K)");
  CHECK(ShapeExpression::conjunction(parts).evaluate({{"M", 1}, {"K", 8}}) == 1);
  CHECK(ShapeExpression::conjunction({}).empty());
}
