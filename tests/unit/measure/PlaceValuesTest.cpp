// Ends and indices that kernels are measured with keep their contracts.
#include "runtime/measure/PlaceValues.h"

#include "dialect/formats/RowGroups.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc;
using namespace mxc::measure;

static KernelAbi groupedKernel(int64_t align) {
  KernelAbi kernel;
  kernel.arguments = {
      {.name = "x", .type = "bf16", .shape = {"N", "K"}},
      {.name = "ends",
       .type = "i32",
       .shape = {"G"},
       .role = ArgumentRole::Ends,
       .of = "index",
       .groupRows = align},
      {.name = "index", .type = "i32", .shape = {"M"}, .role = ArgumentRole::Index, .of = "x"}};
  kernel.dimensions = {"M", "K", "G", "N"};
  return kernel;
}

TEST_CASE("place values: ends of groups, and rows of the inputs", "[measure]") {
  for (int64_t align : {1, 128})
    for (int64_t groups : {1, 2, 7, 256}) {
      const KernelAbi kernel = groupedKernel(align);
      const Dimensions dimensions = {{"M", 512 * groups}, {"K", 64}, {"G", groups}, {"N", 100}};
      const std::vector<int32_t> ends = placesOf(kernel, kernel.arguments[1], dimensions).value();
      CHECK(faultOfEnds(ends, 512 * groups, align) == "");
      REQUIRE(ends.size() == size_t(groups));
      CHECK(ends.back() == 512 * groups);
      for (int64_t g = 0; g < groups; ++g)
        CHECK(std::abs(ends[size_t(g)] - 512 * (g + 1)) <= 32);
      const std::vector<int32_t> index = placesOf(kernel, kernel.arguments[2], dimensions).value();
      CHECK(std::ranges::all_of(index, [](int32_t row) { return row >= 0 && row < 100; }));
      CHECK(!placesOf(kernel, kernel.arguments[0], dimensions));
    }
}

TEST_CASE("place values: fewer rows than groups, and none", "[measure]") {
  const KernelAbi kernel = groupedKernel(128);
  for (int64_t rows : {0, 3, 200}) {
    const Dimensions dimensions = {{"M", rows}, {"K", 64}, {"G", 5}, {"N", 0}};
    const std::vector<int32_t> ends = placesOf(kernel, kernel.arguments[1], dimensions).value();
    CHECK(faultOfEnds(ends, rows, 128) == "");
    CHECK(std::ranges::all_of(*placesOf(kernel, kernel.arguments[2], dimensions),
                              [](int32_t row) { return row == -1; }));
  }
}

TEST_CASE("place values: several rows of the inputs for each row", "[measure]") {
  KernelAbi kernel = groupedKernel(128);
  kernel.arguments[2].shape = {"M", "8"};
  const std::vector<int32_t> index =
      placesOf(kernel, kernel.arguments[2], {{"M", 50}, {"K", 64}, {"G", 5}, {"N", 7}}).value();
  REQUIRE(index.size() == 400);
  CHECK(std::ranges::all_of(index, [](int32_t row) { return row >= 0 && row < 7; }));
}
