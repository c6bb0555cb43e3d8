#include "runtime/tune/TuningBundle.h"
#include "tests/unit/jit/TuningSample.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using namespace mxc::tune;
using Catch::Contains;

TEST_CASE("tuning bundle: what goes out comes in", "[tune]") {
  const TunedRow rows[] = {sampleRow(1), sampleRow(7, 3)};
  const std::vector<TunedRow> read = bundleRows(bundleText(rows), "b.json");
  REQUIRE(read.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(read[i].key == rows[i].key);
    CHECK(read[i].choice.bucket == rows[i].choice.bucket);
    CHECK(read[i].choice.tile == rows[i].choice.tile);
    CHECK(read[i].choice.score == rows[i].choice.score);
    CHECK(read[i].choice.seconds == rows[i].choice.seconds);
    CHECK(read[i].choice.build == rows[i].choice.build);
  }
}

TEST_CASE("tuning bundle: what is none is refused in words", "[tune]") {
  const TunedRow row[] = {sampleRow(1)};
  const std::string whole = bundleText(row);
  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const auto &[text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "expected a tuning bundle"},
           {"[]", "expected a tuning bundle"},
           {"{\"mxcTuning\": 1}", "expected a list \"choices\""},
           {with("\"mxcTuning\": 1", "\"mxcTuning\": 2"), "expected version 1 of a tuning bundle, found 2"},
           {with("\"tile\"", "\"tail\""), "choice 0 has no \"tile\""},
           {with("\"nvjitlink\"", "7"), "\"assembler\": expected text"},
           {with("132", "\"132\""), "\"multiprocessors\": expected a number"},
           {with("132", "-1"), "\"multiprocessors\": expected a count"},
           {with("132", "1e400"), "expected a"},
           {with("M <= 2", "M <= 3"), "\"bucket\": expected"}}) {
    INFO(text);
    CHECK_THAT(invalidInput([&] { bundleRows(text, "b.json"); }),
               Catch::Contains("b.json: ") && Catch::Contains(says));
  }
  for (size_t length = 0; length + 2 < whole.size(); ++length)
    CHECK_FALSE(invalidInput([&] { bundleRows(whole.substr(0, length), "b.json"); }).empty());
}

TEST_CASE("tuning bundle: however deep it is nested", "[tune]") {
  for (size_t depth : {10, 100'000, 2'000'000}) {
    const std::string nested = std::string(depth, '[') + std::string(depth, ']');
    CHECK_THAT(invalidInput([&] { bundleRows("{\"mxcTuning\": " + nested + "}", "b.json"); }),
               Contains("b.json: expected version 1 of a tuning bundle, found an array"));
    CHECK_THAT(
        invalidInput([&] { bundleRows("{\"mxcTuning\": 1, \"choices\": [" + nested + "]}", "b.json"); }),
        Contains("choice 0 has no"));
    CHECK_THAT(invalidInput([&] { bundleRows(nested, "b.json"); }), Contains("expected a tuning bundle"));
  }
}
