// Regions of shared memory: offsets, total, alignment, and the sum that an error shows.
#include "compiler/lowering/entry/SharedLayout.h"

#include <catch2/catch.hpp>

using mxc::SharedLayout;

TEST_CASE("regions lie one after the other, each on its alignment") {
  SharedLayout layout;
  CHECK(layout.bytes() == 0);
  CHECK(layout.add("flags", 40, 8) == 0);
  CHECK(layout.add("operands", 3000, 1024) == 1024);
  CHECK(layout.add("barriers", 24, 8) == 4024);
  CHECK(layout.add("scales", 1, 16) == 4048);
  CHECK(layout.bytes() == 4064);
  CHECK(layout.alignment() == 1024);
  CHECK(layout.sum() == "flags 1024 + operands 3000 + barriers 24 + scales 16");
}
