#include "runtime/device/Device.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/DeviceName.h"
#include "runtime/device/DriverProvider.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

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

TEST_CASE("a simulator that is not linked is a device error that says what to link", "[device]") {
  CHECK_THAT(failure(ErrorKind::Device, [] { openDevice("simulator:sm_100a"); }),
             Contains("cannot open simulator:sm_100a") && Contains("link it with mxc_runtime_simulator"));
}

static const Driver &providedFake(const std::string &which) {
  if (which != "sm_100a") throw Error(ErrorKind::Usage, "no " + which);
  return fakeDriver();
}

TEST_CASE("a driver that a program brings along is found by its kind", "[device]") {
  fakeState() = FakeDriverState();
  registerDriverProvider("fake", providedFake);
  CHECK(&providedDriver("fake", "sm_100a") == &fakeDriver());
  CHECK(failure(ErrorKind::Usage, [] { providedDriver("fake", "sm_70"); }) == "no sm_70");
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

TEST_CASE("a device's pool keeps memory past synchronizations, until it is asked or an allocation needs it",
          "[device]") {
  {
    Device device = fakeDevice();
    CHECK((fakeState().pools == 1 && fakeState().poolKeeps == UINT64_MAX));
    device.trimPool();
    CHECK(fakeState().trims == 1);
    CHECK_THAT(failure(ErrorKind::Device, [&] { Buffer(device, size_t(1) << 40); }),
               Contains("OUT_OF_MEMORY"));
    CHECK(fakeState().trims == 2);
  }
  CHECK(fakeState().pools == 0);
}

TEST_CASE("a device without pools of memory works all the same", "[device]") {
  fakeState() = FakeDriverState();
  fakeState().failing = "cuMemPoolCreate";
  fakeState().failure = CUDA_ERROR_NOT_SUPPORTED;
  Device device(fakeDriver(), 0, "cuda:0");
  fakeState().failing = "";
  CHECK(device.pool() == nullptr);
  device.trimPool();
  CHECK_THAT(failure(ErrorKind::Device, [&] { Buffer(device, size_t(1) << 40); }), Contains("OUT_OF_MEMORY"));
  CHECK(fakeState().trims == 0);
}
