#include "tests/unit/runtime/Conformance.h"
#include "tests/unit/runtime/Failure.h"

#include <tuple>

using namespace mxc;
using Catch::Contains;

Device conformanceDevice() { return openDevice("simulator:sm_100a"); }

TEST_CASE("the simulator's chips describe themselves by their target", "[device]") {
  for (auto [target, major, minor] : {std::tuple("sm_90a", 9, 0), {"sm_100a", 10, 0}, {"sm_103a", 10, 3}}) {
    Device device = openDevice(std::string("simulator:") + target);
    CHECK(device.computeCapability() == ComputeCapability{major, minor});
    CHECK(device.targetsAccepted().front() == target);
    CHECK_FALSE(device.driver().takesCubins);
  }
}

TEST_CASE("a target that is not simulated is a usage error that names those that are", "[device]") {
  CHECK_THAT(failure(ErrorKind::Usage, [] { openDevice("simulator:sm_70"); }),
             Contains("'sm_70'") && Contains("sm_90a, sm_100a"));
}
