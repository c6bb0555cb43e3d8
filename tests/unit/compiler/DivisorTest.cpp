// Quotients and remainders where the division's estimates are worst: beside multiples, of small, large and
// ordinary divisors.
#include "tests/unit/compiler/DivisorKernel.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc::sim;

TEST_CASE("division by a number whose inverse is made by f32's reciprocal") {
  constexpr size_t kPairs = 1024;
  constexpr uint32_t kMost = 0x7FFFFFFF;
  const std::string ptx = divisorKernel(kPairs);
  REQUIRE_FALSE(ptx.empty());
  PtxRun how;
  how.target = "sm_90a", how.checks = Checks::Strict, how.block = {kPairs, 1, 1};
  std::mt19937 generator(5);
  for (int round = 0; round < 64; ++round) {
    std::vector<uint32_t> pairs;
    for (size_t i = 0; i < kPairs; ++i) {
      const uint32_t d = round < 16
                             ? uint32_t(round * kPairs + i + 1)                           // 1 to 16384
                             : std::max(1u, (uint32_t(generator()) & kMost) >> (i % 31)); // of any size
      const uint32_t multiple = (round % 4 == 0 ? kMost : uint32_t(generator()) & kMost) / d * d;
      const uint32_t beside[] = {multiple, multiple - (multiple > 0), std::min(multiple, kMost - d) + d - 1,
                                 kMost};
      pairs.insert(pairs.end(), {beside[(size_t(round) + i) % 4], d});
    }
    const std::vector<uint32_t> found = runPtx<uint32_t>(ptx, pairs, pairs.size(), how);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      INFO(pairs[i] << " / " << pairs[i + 1]);
      CHECK(found[i] == pairs[i] / pairs[i + 1]);
      CHECK(found[i + 1] == pairs[i] % pairs[i + 1]);
    }
  }
}
