// Groups of K, longest first: the table that a CTA writes, and the order in which copies of slabs are made.
#include "tests/unit/compiler/GroupOrderKernel.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace mxc::sim;

namespace {

std::vector<uint32_t> orderOf(const std::vector<uint32_t> &ends, int k, int slabs) {
  const std::string ptx = groupOrderKernel(int(ends.size()), k, slabs);
  REQUIRE_FALSE(ptx.empty());
  PtxRun how;
  how.target = "sm_90a", how.checks = Checks::Strict, how.block = {64, 1, 1};
  return runPtx<uint32_t>(ptx, ends, ends.size() * 4 + size_t(slabs), how);
}

} // namespace

TEST_CASE("groups of K are ordered by their slabs, empty ones last") {
  const std::vector<uint32_t> order = orderOf({100, 100, 640, 768, 1000}, 1200, 10);
  const std::vector<uint32_t> expected = {2, 128, 640,  0, // 4 slabs
                                          4, 768, 1000, 4, // 2
                                          0, 0,   100,  6, // 1, as group 3, whose number is higher
                                          3, 640, 768,  7, //
                                          1, 0,   0,    8, // none
                                          1, 2,   3,    4, 6,
                                          7, 0,   5,    8, 9}; // slabs; 8 and 9 are past all groups
  CHECK(order == expected);
}

TEST_CASE("each slab is copied once whatever the ends are, of more groups than a warp has lanes") {
  for (uint32_t step : {7u, 13u, 40u}) {
    std::vector<uint32_t> ends(70);
    for (size_t g = 0; g < ends.size(); ++g)
      ends[g] = step == 40 ? uint32_t(g * 12345 % 9000) : uint32_t(g * step + g % 5 * 20);
    ends[20] = 0xFFFFFFFF, ends[21] = 20000; // below 0, and past K
    constexpr int k = 8000, slabs = (k + 127) / 128;
    std::vector<uint32_t> order = orderOf(ends, k, slabs), all(slabs), groups;
    for (size_t r = 0; r < ends.size(); ++r)
      groups.push_back(order[4 * r]);
    std::ranges::sort(groups);
    for (uint32_t g = 0; g < groups.size(); ++g)
      CHECK(groups[g] == g);
    std::vector<uint32_t> copied(order.end() - slabs, order.end());
    std::ranges::sort(copied);
    std::iota(all.begin(), all.end(), 0);
    CHECK(copied == all);
  }
}
