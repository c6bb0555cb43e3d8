#include "runtime/Device.h"
#include "runtime/DeviceName.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <tuple>

using namespace mxc;
using Catch::Contains;

TEST_CASE("device names are parsed", "[device]") {
  CHECK(parseDeviceName("cuda:0").ordinal == 0);
  CHECK(parseDeviceName("cuda:12").ordinal == 12);
  DeviceName simulator = parseDeviceName("simulator:sm_100a");
  CHECK((simulator.kind == DeviceName::Kind::Simulator && simulator.target == "sm_100a"));
  CHECK(parseDeviceName("simulator:sm_90").target == "sm_90");
  CHECK(parseDeviceName("simulator:sm_100f").target == "sm_100f");
}

TEST_CASE("an ill-formed device name is a usage error that shows the forms", "[device]") {
  for (std::string name : {"", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:0x", "cuda: 0", "cuda:99999999999",
                           "gpu:0", ":0", "simulator:", "simulator:100a", "simulator:sm_", "simulator:sm_1",
                           "simulator:sm_100b", "simulator:sm_a", "CUDA:0"}) {
    INFO("device '" << name << "'");
    std::string message = failure(ErrorKind::Usage, [&] { openDevice(name); });
    CHECK_THAT(message, Catch::StartsWith("device '" + name + "'") && Contains("cuda:N or simulator:sm_XXX"));
  }
}

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

TEST_CASE("a device beyond the last says how many there are", "[device]") {
  fakeState() = FakeDriverState();
  CHECK_THAT(failure(ErrorKind::Device, [] { Device(fakeDriver(), 3, "cuda:3"); }),
             Contains("cannot open cuda:3: this machine has 1 CUDA device "));
  fakeState().deviceCount = 2;
  CHECK_THAT(failure(ErrorKind::Device, [] { Device(fakeDriver(), 2, "cuda:2"); }),
             Contains("has 2 CUDA devices"));
  CHECK(fakeState().retained == 0);
}

TEST_CASE("a driver that does not start is a device error", "[device]") {
  fakeState() = FakeDriverState();
  fakeState().failing = "cuInit";
  fakeState().failure = CUDA_ERROR_NO_DEVICE;
  CHECK_THAT(failure(ErrorKind::Device, [] { Device(fakeDriver(), 0, "cuda:0"); }),
             Contains("cannot start the CUDA driver on cuda:0") && Contains("(100)") &&
                 Contains("nvidia-smi"));
}

TEST_CASE("targets follow from the compute capability", "[device]") {
  using Targets = std::vector<std::string>;
  CHECK(fakeDevice(9, 0).targetsAccepted() == Targets{"sm_90a", "sm_90"});
  CHECK(fakeDevice(10, 0).targetsAccepted() == Targets{"sm_100a", "sm_100f", "sm_100"});
  CHECK(fakeDevice(10, 3).targetsAccepted().front() == "sm_103a");
  CHECK(fakeDevice(10, 3).targetsAccepted().back() == "sm_100");
  CHECK(fakeDevice(12, 0).targetsAccepted().front() == "sm_120a");
}

TEST_CASE("the context is retained once and released with the last handle", "[device]") {
  {
    Device device = fakeDevice();
    Device copy = device;
    CHECK(fakeState().retained == 1);
    CHECK(copy == device);
  }
  CHECK(fakeState().retained == 0);
}
