#include "runtime/jit/ShapeBucket.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;

TEST_CASE("shape buckets: from one power of two to the next", "[tuning]") {
  CHECK(ShapeBucket::of({{"M", 1000}, {"K", 7168}}).text() == "K <= 8192, M <= 1024");
  CHECK(ShapeBucket::of({{"M", 1024}}) == ShapeBucket::of({{"M", 513}}));
  CHECK_FALSE(ShapeBucket::of({{"M", 1024}}) == ShapeBucket::of({{"M", 1025}}));
  CHECK(ShapeBucket::of({{"M", 1}}).text() == "M <= 1");
  CHECK(ShapeBucket::of({}).text().empty());
  CHECK_THAT(invalidInput([] { ShapeBucket::of({{"M", 0}}); }),
             Catch::Contains("M = 0: expected a size from 1 to 2^62, there is nothing to tune"));
  CHECK_THAT(invalidInput([] { ShapeBucket::of({{"M", INT64_MAX}}); }), Catch::EndsWith("to 2^62"));
}

TEST_CASE("shape buckets: the condition holds in it and nowhere else", "[tuning]") {
  for (int64_t size : {1, 2, 3, 4, 5, 1023, 1024, 1025, 131072}) {
    const ShapeBucket bucket = ShapeBucket::of({{"M", size}});
    for (int64_t other : {1, 2, 3, 4, 5, 1023, 1024, 1025, 131072}) {
      INFO(size << " " << other);
      CHECK(bucket.condition().evaluate({{"M", other}}) == (bucket == ShapeBucket::of({{"M", other}})));
    }
  }
  CHECK(ShapeBucket::of({}).condition().empty());
}

TEST_CASE("shape buckets: text", "[tuning]") {
  for (const Dimensions &shape :
       {Dimensions{}, {{"M", 7}}, {{"K", 1}, {"M", 1 << 20}, {"N", int64_t(1) << 62}}})
    CHECK(ShapeBucket::parse(ShapeBucket::of(shape).text()) == ShapeBucket::of(shape));
  for (const char *text : {"M", "M <= ", "M <= 3", "M <= 0", "M <= -4", "M <= 4,", "<= 4", "M <= 4x",
                           "M <= 9223372036854775808", "M <= 4, , K <= 4"})
    CHECK_FALSE(ShapeBucket::parse(text));
}
