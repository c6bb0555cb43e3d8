#include "runtime/measure/ClockWatch.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <catch2/catch.hpp>

using namespace mxc::measure;

TEST_CASE("clocks: how far they moved, and what held them", "[measure]") {
  ClockRange clocks;
  clocks.add({1980, 3201, 0});
  CHECK(clocks.movement() == 0);
  CHECK(clocks.text() == "1980 MHz, memory 3201 MHz");
  clocks.add({1683, 3201, 4});
  CHECK(clocks.movement() == Approx(0.15));
  CHECK(clocks.text() == "1683 to 1980 MHz (power limit), memory 3201 MHz");
}

TEST_CASE("clocks: a device that NVML does not know", "[measure]") {
  const ClockWatch watch(fakeDevice());
  CHECK_FALSE(watch.read());
  CHECK_FALSE(watch.unknown().empty());
  ClockRange clocks;
  clocks.unknown = watch.unknown();
  CHECK(clocks.text() == "unknown: " + watch.unknown());
}
