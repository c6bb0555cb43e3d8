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

TEST_CASE("clocks: the mean of what a chip at its limit goes to and fro between", "[measure]") {
  ClockMean mean;
  CHECK_FALSE(mean.value());
  for (unsigned megahertz : {1500, 1545, 1500, 1516})
    mean.add({megahertz, 3201, megahertz == 1545 ? 4u : 0u});
  CHECK(mean.value()->multiprocessorMegahertz == 1515);
  CHECK((mean.value()->memoryMegahertz == 3201 && mean.value()->throttling == 4));
}

TEST_CASE("clocks: one range of several contenders'", "[measure]") {
  ClockRange all, slow, unread;
  slow.add({1500, 3201, 4});
  slow.add({1515, 3201, 0});
  unread.unknown = "no NVML";
  all.addAll(unread);
  CHECK(all.text() == "unknown: no NVML");
  all.addAll(slow);
  ClockRange fast;
  fast.add({1980, 3201, 0});
  all.addAll(fast);
  CHECK((all.readings == 3 && all.text() == "1500 to 1980 MHz (power limit), memory 3201 MHz"));
  CHECK((fast.multiprocessorText() == "1980" && slow.multiprocessorText() == "1500 to 1515"));
}

TEST_CASE("clocks: a device that NVML does not know", "[measure]") {
  const ClockWatch watch(fakeDevice());
  CHECK_FALSE(watch.read());
  CHECK_FALSE(watch.unknown().empty());
  ClockRange clocks;
  clocks.unknown = watch.unknown();
  CHECK(clocks.text() == "unknown: " + watch.unknown());
}
