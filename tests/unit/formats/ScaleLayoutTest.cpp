#include "dialect/formats/ScaleLayout.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

using namespace mxc;

TEST_CASE("check values of semantics/layouts.md within a tcgen05 tile") {
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 5, 0, 300, 4) == 80);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 5, 1, 300, 4) == 81);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 32, 0, 300, 4) == 4);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 96, 3, 300, 4) == 15);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 127, 3, 300, 4) == 511);
}

TEST_CASE("tiles follow each other along the blocks, then along the rows") {
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 0, 4, 300, 9) == 512);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 0, 8, 300, 9) == 1024);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 128, 0, 300, 9) == 3 * 512);
  CHECK(scaleOffset(ScaleLayout::Tcgen05, 133, 5, 300, 9) == 4 * 512 + 81);
  CHECK(scaleOffset(ScaleLayout::Dense, 133, 5, 300, 9) == 133 * 9 + 5);
}

TEST_CASE("sizes count whole tiles") {
  CHECK(scaleCount(ScaleLayout::Dense, 127, 33) == 127 * 33);
  CHECK(scaleCount(ScaleLayout::Tcgen05, 1, 1) == 512);
  CHECK(scaleCount(ScaleLayout::Tcgen05, 128, 4) == 512);
  CHECK(scaleCount(ScaleLayout::Tcgen05, 129, 5) == 4 * 512);
  for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05}) {
    CHECK(scaleCount(layout, 0, 7) == 0);
    CHECK(scaleCount(layout, 7, 0) == 0);
    CHECK(scaleCount(layout, 0, 0) == 0);
  }
}

TEST_CASE("sizes beyond 63 bits and below 0 are refused") {
  const int64_t most = INT64_MAX;
  CHECK(scaleCount(ScaleLayout::Dense, most, 1) == most);
  CHECK_THROWS_AS(scaleCount(ScaleLayout::Dense, most, 2), std::overflow_error);
  CHECK_THROWS_AS(scaleCount(ScaleLayout::Tcgen05, most, 1), std::overflow_error);
  CHECK_THROWS_AS(scaleCount(ScaleLayout::Tcgen05, most, most), std::overflow_error);
  CHECK(scaleCount(ScaleLayout::Tcgen05, most - 127, 0) == 0);
  CHECK_THROWS_AS(scaleCount(ScaleLayout::Dense, -1, 1), Error);
  CHECK_THROWS_AS(scaleCount(ScaleLayout::Tcgen05, 1, -1), Error);
}

TEST_CASE("every scale has its own byte inside the allocation") {
  const auto [rows, blocks] =
      GENERATE(table<int64_t, int64_t>({{1, 1}, {128, 4}, {129, 5}, {300, 9}, {31, 130}}));
  for (const ScaleLayoutInfo &each : scaleLayouts()) {
    const ScaleLayout layout = each.layout;
    std::set<int64_t> offsets;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t block = 0; block < blocks; ++block)
        offsets.insert(scaleOffset(layout, row, block, rows, blocks));
    CHECK(int64_t(offsets.size()) == rows * blocks);
    CHECK(*offsets.begin() == 0);
    CHECK(*offsets.rbegin() < scaleCount(layout, rows, blocks));
  }
}

TEST_CASE("conversion goes there and back, and zeroes the padding") {
  const auto [rows, blocks] = GENERATE(table<int64_t, int64_t>({{1, 1}, {127, 2}, {129, 5}, {300, 3}}));
  std::vector<uint8_t> dense(size_t(rows * blocks));
  for (size_t i = 0; i < dense.size(); ++i)
    dense[i] = uint8_t(1 + i % 255); // never the padding's value
  std::vector<uint8_t> tiled(size_t(scaleCount(ScaleLayout::Tcgen05, rows, blocks)), 0xCD),
      back(dense.size(), 0xCD);
  convertScales(ScaleLayout::Dense, dense.data(), ScaleLayout::Tcgen05, tiled.data(), rows, blocks, 1);
  CHECK(std::count(tiled.begin(), tiled.end(), 0) == int64_t(tiled.size() - dense.size()));
  CHECK(std::accumulate(tiled.begin(), tiled.end(), 0) == std::accumulate(dense.begin(), dense.end(), 0));
  convertScales(ScaleLayout::Tcgen05, tiled.data(), ScaleLayout::Dense, back.data(), rows, blocks, 1);
  CHECK(back == dense);
  std::vector<uint8_t> again(tiled.size(), 0xCD);
  convertScales(ScaleLayout::Tcgen05, tiled.data(), ScaleLayout::Tcgen05, again.data(), rows, blocks, 1);
  CHECK(again == tiled);
}

TEST_CASE("scalePlace is the inverse of scaleOffset, and the rest is padding") {
  for (const ScaleLayoutInfo &layout : scaleLayouts())
    for (auto [rows, blocks] : {std::pair<int64_t, int64_t>{1, 1}, {127, 3}, {129, 5}, {300, 4}}) {
      int64_t places = 0;
      for (int64_t offset = 0; offset < scaleCount(layout.layout, rows, blocks); ++offset) {
        const ScalePlace place = scalePlace(layout.layout, offset, rows, blocks);
        CHECK(scaleOffset(layout.layout, place.row, place.block, rows, blocks) == offset);
        CHECK(place.isPadding == (place.row >= rows || place.block >= blocks));
        places += !place.isPadding;
      }
      CHECK(places == rows * blocks);
    }
}

TEST_CASE("the tensor that holds scales has its layout's shape") {
  auto shapeOf = [](ScaleLayout layout, std::vector<int64_t> shape) {
    shape.resize(storageShape(layout, shape));
    return shape;
  };
  CHECK(shapeOf(ScaleLayout::Dense, {3, 130, 5}) == std::vector<int64_t>{3, 130, 5});
  CHECK(shapeOf(ScaleLayout::Tcgen05, {3, 130, 5}) == std::vector<int64_t>{3 * 4 * 512});
  CHECK(shapeOf(ScaleLayout::MnMajor, {3, 130, 5}) == std::vector<int64_t>{3, 5, 132});
  CHECK(shapeOf(ScaleLayout::MnMajor, {6, 3}) == std::vector<int64_t>{3, 8});
  CHECK(shapeOf(ScaleLayout::MnPacked, {6, 5}) == std::vector<int64_t>{2, 32});
  CHECK(shapeOf(ScaleLayout::Padded, {3, 6, 5}) == std::vector<int64_t>{3, 6, 8});
  CHECK(storageRank(ScaleLayout::Tcgen05, 3) == 1);
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK_THROWS_AS(shapeOf(ScaleLayout::MnMajor, {most, 1}), std::overflow_error);
  CHECK_THROWS_AS(shapeOf(ScaleLayout::Tcgen05, {most / 256, 128, 4}), std::overflow_error);
}

TEST_CASE("mn_major: a block's rows lie side by side, in runs of 16 bytes of f32") {
  CHECK(scaleOffset(ScaleLayout::MnMajor, 5, 0, 6, 3) == 5);
  CHECK(scaleOffset(ScaleLayout::MnMajor, 0, 1, 6, 3) == 8);
  CHECK(scaleOffset(ScaleLayout::MnMajor, 5, 2, 6, 3) == 21);
  CHECK(scaleCount(ScaleLayout::MnMajor, 6, 3) == 24);
  const std::vector<uint32_t> dense = {11, 12, 21, 22, 31, 32, 41, 42, 51, 52}; // 5 rows of 2 blocks
  std::vector<uint32_t> major(16, 99);
  convertScales(ScaleLayout::Dense, reinterpret_cast<const uint8_t *>(dense.data()), ScaleLayout::MnMajor,
                reinterpret_cast<uint8_t *>(major.data()), 5, 2, 4);
  CHECK(major == std::vector<uint32_t>{11, 21, 31, 41, 51, 0, 0, 0, 12, 22, 32, 42, 52, 0, 0, 0});
}

TEST_CASE("other libraries' layouts: words of four blocks a row, rows of whole fours") {
  const std::vector<uint8_t> dense = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15}; // 2 rows of 5 blocks
  std::vector<uint8_t> packed(32, 99), padded(16, 99);
  convertScales(ScaleLayout::Dense, dense.data(), ScaleLayout::MnPacked, packed.data(), 2, 5, 1);
  CHECK(packed == std::vector<uint8_t>{1, 2, 3, 4, 11, 12, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0,
                                       5, 0, 0, 0, 15, 0,  0,  0,  0, 0, 0, 0, 0, 0, 0, 0});
  convertScales(ScaleLayout::Dense, dense.data(), ScaleLayout::Padded, padded.data(), 2, 5, 1);
  CHECK(padded == std::vector<uint8_t>{1, 2, 3, 4, 5, 0, 0, 0, 11, 12, 13, 14, 15, 0, 0, 0});
}

TEST_CASE("converting nothing touches nothing") {
  convertScales(ScaleLayout::Dense, nullptr, ScaleLayout::Tcgen05, nullptr, 0, 5, 1);
  convertScales(ScaleLayout::Tcgen05, nullptr, ScaleLayout::Dense, nullptr, 5, 0, 1);
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
