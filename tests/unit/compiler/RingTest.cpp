// Rings of several stages between a copying and a computing role, on the simulator under every schedule.
#include "tests/unit/compiler/RingKernel.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

TEST_CASE("a ring hands every step over once, for any number of stages") {
  constexpr int steps = 100; // more than LLVM unrolls
  std::vector<uint32_t> input(steps * 64), expected(steps * 32);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = i * 2654435761u;
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < 32; ++i)
      expected[step * 32 + i] = input[step * 64 + i] + input[step * 64 + 32 + i];
  for (int stages : {1, 2, 3, 5, 16}) {
    RingKernel kernel = ringKernel(stages, steps);
    REQUIRE_FALSE(kernel.ptx.empty());
    for (Schedule schedule : {Schedule{Schedule::Kind::Eager, 0}, Schedule{Schedule::Kind::Lazy, 0},
                              Schedule{Schedule::Kind::Random, 3}, Schedule{Schedule::Kind::Random, 4}}) {
      PtxRun how;
      how.target = "sm_90a", how.checks = Checks::Strict, how.schedule = schedule;
      how.block = {64, 1, 1}, how.dynamicSharedBytes = kernel.sharedBytes;
      CAPTURE(stages);
      CHECK(runPtx<uint32_t>(kernel.ptx, input, expected.size(), how) == expected);
    }
  }
}
