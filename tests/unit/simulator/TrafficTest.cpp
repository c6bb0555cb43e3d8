// Sectors and bank conflicts.
#include "runtime/simulator/memory/Traffic.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

template <class F> static Wavefronts wavefronts(uint32_t bytes, F address, uint32_t mask = ~0u) {
  uint64_t addresses[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] = uint64_t(address(lane));
  return wavefrontsOf(addresses, mask, bytes);
}

TEST_CASE("wavefronts of shared memory") {
  CHECK(wavefronts(4, [](int lane) { return 4 * lane; }).actual == 1);
  CHECK(wavefronts(4, [](int lane) { return 8 * lane; }).actual == 2);
  CHECK(wavefronts(4, [](int lane) { return 128 * lane; }).actual == 32);
  CHECK(wavefronts(4, [](int lane) { return 132 * lane; }).actual == 1); // padded columns
  CHECK(wavefronts(4, [](int) { return 64; }).actual == 1);              // broadcast
  CHECK(wavefronts(1, [](int lane) { return lane; }).actual == 1);
  CHECK(wavefronts(8, [](int lane) { return 8 * lane; }).actual == 2);
  CHECK(wavefronts(16, [](int lane) { return 16 * lane; }).actual == 4);
  CHECK(wavefronts(16, [](int lane) { return 16 * lane; }).ideal == 4);
  CHECK(wavefronts(16, [](int lane) { return 128 * lane; }).actual == 32);
  CHECK(wavefronts(16, [](int lane) { return 128 * lane + 16 * (lane % 8); }).actual == 4); // swizzled rows
  CHECK(wavefronts(16, [](int lane) { return 128 * lane; }, 0xff).ideal == 1);
}

TEST_CASE("sectors of global memory") {
  uint64_t addresses[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] = 0x1000 + 4 * uint64_t(lane);
  CHECK(sectorsOf(addresses, ~0u, 4) == 4);
  CHECK(sectorsOf(addresses, 0x00ff, 4) == 1);
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] = 0x1000 + 32 * uint64_t(lane);
  CHECK(sectorsOf(addresses, ~0u, 4) == 32);
  CHECK(sectorsOf(addresses, ~0u, 32) == 32);
}
