#include "dialect/formats/ScaleLayout.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

using namespace mxc;

TEST_CASE("check values of numerics.md within a tcgen05 tile") {
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 5, 0, 4) == 80);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 5, 1, 4) == 81);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 32, 0, 4) == 4);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 96, 3, 4) == 15);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 127, 3, 4) == 511);
}

TEST_CASE("tiles follow each other along the blocks, then along the rows") {
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 0, 4, 9) == 512);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 0, 8, 9) == 1024);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 128, 0, 9) == 3 * 512);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 133, 5, 9) == 4 * 512 + 81);
  CHECK(scaleOffset(ScaleLayout::Dense, 133, 5, 9) == 133 * 9 + 5);
}

TEST_CASE("sizes count whole tiles") {
  CHECK(scaleBytes(ScaleLayout::Dense, 127, 33) == 127 * 33);
  CHECK(scaleBytes(ScaleLayout::Tcgen05, 1, 1) == 512);
  CHECK(scaleBytes(ScaleLayout::Tcgen05, 128, 4) == 512);
  CHECK(scaleBytes(ScaleLayout::Tcgen05, 129, 5) == 4 * 512);
  for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05}) {
    CHECK(scaleBytes(layout, 0, 7) == 0);
    CHECK(scaleBytes(layout, 7, 0) == 0);
    CHECK(scaleBytes(layout, 0, 0) == 0);
  }
}

TEST_CASE("sizes beyond 63 bits and below 0 are refused") {
  const int64_t most = INT64_MAX;
  CHECK(scaleBytes(ScaleLayout::Dense, most, 1) == most);
  CHECK_THROWS_AS(scaleBytes(ScaleLayout::Dense, most, 2), std::overflow_error);
  CHECK_THROWS_AS(scaleBytes(ScaleLayout::Tcgen05, most, 1), std::overflow_error);
  CHECK_THROWS_AS(scaleBytes(ScaleLayout::Tcgen05, most, most), std::overflow_error);
  CHECK(scaleBytes(ScaleLayout::Tcgen05, most - 127, 0) == 0);
  CHECK_THROWS_AS(scaleBytes(ScaleLayout::Dense, -1, 1), Error);
  CHECK_THROWS_AS(scaleBytes(ScaleLayout::Tcgen05, 1, -1), Error);
}

TEST_CASE("every scale has its own byte inside the allocation") {
  const auto [rows, blocks] =
      GENERATE(table<int64_t, int64_t>({{1, 1}, {128, 4}, {129, 5}, {300, 9}, {31, 130}}));
  for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05}) {
    std::set<int64_t> offsets;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t block = 0; block < blocks; ++block)
        offsets.insert(scaleOffset(layout, row, block, blocks));
    CHECK(int64_t(offsets.size()) == rows * blocks);
    CHECK(*offsets.begin() == 0);
    CHECK(*offsets.rbegin() < scaleBytes(layout, rows, blocks));
  }
}

TEST_CASE("conversion goes there and back, and zeroes the padding") {
  const auto [rows, blocks] = GENERATE(table<int64_t, int64_t>({{1, 1}, {127, 2}, {129, 5}, {300, 3}}));
  std::vector<uint8_t> dense(size_t(rows * blocks));
  for (size_t i = 0; i < dense.size(); ++i)
    dense[i] = uint8_t(1 + i % 255); // never the padding's value
  std::vector<uint8_t> tiled(size_t(scaleBytes(ScaleLayout::Tcgen05, rows, blocks)), 0xCD),
      back(dense.size(), 0xCD);
  convertScales(ScaleLayout::Dense, dense.data(), ScaleLayout::Tcgen05, tiled.data(), rows, blocks);
  CHECK(std::count(tiled.begin(), tiled.end(), 0) == int64_t(tiled.size() - dense.size()));
  CHECK(std::accumulate(tiled.begin(), tiled.end(), 0) == std::accumulate(dense.begin(), dense.end(), 0));
  convertScales(ScaleLayout::Tcgen05, tiled.data(), ScaleLayout::Dense, back.data(), rows, blocks);
  CHECK(back == dense);
  std::vector<uint8_t> again(tiled.size(), 0xCD);
  convertScales(ScaleLayout::Tcgen05, tiled.data(), ScaleLayout::Tcgen05, again.data(), rows, blocks);
  CHECK(again == tiled);
}

TEST_CASE("converting nothing touches nothing") {
  convertScales(ScaleLayout::Dense, nullptr, ScaleLayout::Tcgen05, nullptr, 0, 5);
  convertScales(ScaleLayout::Tcgen05, nullptr, ScaleLayout::Dense, nullptr, 5, 0);
}

TEST_CASE("names go both ways") {
  CHECK(scaleLayoutNamed("dense") == ScaleLayout::Dense);
  CHECK(scaleLayoutNamed("tcgen05") == ScaleLayout::Tcgen05);
  CHECK(name(ScaleLayout::Tcgen05) == "tcgen05");
  CHECK_FALSE(scaleLayoutNamed("swizzled"));
}

TEST_CASE("the drawn tile has row 0, 32, 64, 96 on its first line") {
  const std::string drawing = drawScaleTile();
  CHECK(std::count(drawing.begin(), drawing.end(), '\n') == 32);
  const std::string first = drawing.substr(0, drawing.find('\n'));
  CHECK(first ==
        "0,0   0,1   0,2   0,3   32,0  32,1  32,2  32,3  64,0  64,1  64,2  64,3  96,0  96,1  96,2  96,3");
  CHECK(drawing.substr(drawing.size() - 6) == "127,3\n");
}
