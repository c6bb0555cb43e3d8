// Which warps a trace is of.
#include "runtime/simulator/run/Trace.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

TEST_CASE("a trace is of one warp, of a CTA's, of one in every CTA, or of all") {
  for (const char *filter : {"*", "3:*", "*:1", "3:1", "*:*"})
    CHECK(isTraced(traceFilterNamed(filter), 3, 1));
  for (const char *filter : {"2:*", "*:0", "3:0", "31:1"})
    CHECK_FALSE(isTraced(traceFilterNamed(filter), 3, 1));
  for (const char *filter : {"3", "a:1", "3:", "**"})
    CHECK_THROWS_AS(traceFilterNamed(filter), mxc::Error);
}
