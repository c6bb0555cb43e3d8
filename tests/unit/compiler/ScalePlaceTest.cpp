#include "compiler/reference/ScalePlace.h"

#include <catch2/catch.hpp>

using namespace mxc;

TEST_CASE("scalePlace is the inverse of scaleOffset, and the rest is padding") {
  for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05})
    for (auto [rows, blocks] : {std::pair<int64_t, int64_t>{1, 1}, {127, 3}, {129, 5}, {300, 4}}) {
      int64_t places = 0;
      for (int64_t offset = 0; offset < scaleBytes(layout, rows, blocks); ++offset) {
        ScalePlace place = scalePlace(layout, offset, rows, blocks);
        if (place.isPadding) continue;
        ++places;
        CHECK(place.row < rows);
        CHECK(place.block < blocks);
        CHECK(scaleOffset(layout, place.row, place.block, blocks) == offset);
      }
      CHECK(places == rows * blocks);
    }
}
