// Measurements on a driver in host memory whose clock moves by what each launch is said to take.
#include "runtime/measure/KernelContender.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <algorithm>
#include <set>

using namespace mxc;
using namespace mxc::measure;

static Kernel exampleOn(const Device &device) {
  fakeState().parameterSizes = std::vector<size_t>(6, 8);
  const std::string image = cubinOf({"sm_90a"});
  return Module::fromImage(device, bytesOf(image)).kernel();
}

static const MeasurementOptions kCold{.warmSeconds = 0};

namespace {
/// One set of tensors, and entries that take 4 and 8 us.
struct TwoEntries {
  const Device device = fakeDevice();
  const Kernel kernel = exampleOn(device);
  const TensorSets sets{device, kernel.abi(), {{"M", 64}, {"K", 256}}, {}, {.rotatedBytes = 0}};
  const Contender contenders[2] = {contenderOf(kernel, sets, "wide"),
                                   contenderOf(kernel, sets, "plain", {.variant = 1})};

  TwoEntries() { fakeState().launchMicros = {{"quantize_wide", 4}, {"quantize_plain", 8}}; }
};
} // namespace

TEST_CASE("measure: a kernel's entries side by side", "[measure]") {
  const Device device = fakeDevice();
  const Kernel kernel = exampleOn(device);
  fakeState().launchMicros = {{"quantize_wide", 2.5}, {"quantize_plain", 4}};
  const TensorSets sets(device, kernel.abi(), {{"M", 64}, {"K", 256}}, {}, {.rotatedBytes = 200'000});
  REQUIRE(sets.count() == 1 + 200'000 / (64 * 256 * 3 + 1024)); // s is 512 bytes, rounded up
  const Contender contenders[] = {contenderOf(kernel, sets, "wide"),
                                  contenderOf(kernel, sets, "plain", {.variant = 1})};
  const Measurement result = compare(device, contenders, sets.count(), kCold);
  CHECK(result.timings[0].median() == Approx(2.5));
  CHECK(result.timings[1].median() == Approx(4));
  CHECK((result.timings[0].micros.size() == 9 && result.timings[1].wasStopped));
  for (int launches : result.launches)
    CHECK(launches % sets.count() == 0);
  CHECK((result.launches[0] >= 800 && result.launches[0] <= 800 + sets.count())); // 2 ms
  CHECK((result.launches[1] >= 500 && result.launches[1] <= 500 + sets.count()));
  CHECK((result.clocks.size() == 2 && result.allClocks().readings == 0));
}

TEST_CASE("measure: a contender works until its clock has settled before it is timed", "[measure]") {
  const TwoEntries two;
  MeasurementOptions options = kCold;
  options.workMicros = 400;
  options.settleMicros = 1000; // three replays, then the one that is timed
  options.race = {.rounds = 2, .stoppedBehind = RaceOptions::kNobodyIsStopped};
  const Measurement result = compare(two.device, two.contenders, 1, options);
  CHECK((result.launches[0] == 100 && result.launches[1] == 50));
  const auto launched = [](const char *entry) {
    return std::ranges::count(fakeState().launches, entry, &FakeLaunch::entry);
  };
  CHECK(launched("quantize_wide") == 2 + 2 * 4 * 100); // first two of one launch each, to know its time
  CHECK(launched("quantize_plain") == 2 + 2 * 4 * 50);
  CHECK(fakeState().launches.back().entry == "quantize_wide"); // the second round is the other way round
}

TEST_CASE("measure: clocks are each contender's own, while it is timed", "[measure]") {
  const TwoEntries two;
  MeasurementOptions options = kCold;
  options.race = {.rounds = 4, .stoppedBehind = RaceOptions::kNobodyIsStopped};
  unsigned moved = 0;
  options.readClocks = [&]() -> std::optional<ClockReading> {
    if (fakeState().launches.back().entry == "quantize_wide") return ClockReading{1980, 3201, 0};
    return ClockReading{1500 + 15 * moved++, 3201, 4};
  };
  const Measurement result = compare(two.device, two.contenders, 1, options);
  CHECK(result.clocks[0].text() == "1980 MHz, memory 3201 MHz");
  CHECK(result.clocks[1].text() == "1500 to 1545 MHz (power limit), memory 3201 MHz");
  CHECK((result.clocks[0].readings == 4 && result.clocks[1].readings == 4)); // one a round
  CHECK(result.allClocks().movement() == Approx((1980.0 - 1500) / 1980));
}

TEST_CASE("measure: launches go round the sets", "[measure]") {
  const Device device = fakeDevice();
  const Kernel kernel = exampleOn(device);
  const TensorSets sets(device, kernel.abi(), {{"M", 64}, {"K", 256}}, {}, {.rotatedBytes = 200'000});
  const Contender contenders[] = {contenderOf(kernel, sets, "wide", {.pdl = true})};
  compare(device, contenders, sets.count(), kCold);
  std::vector<std::vector<uint8_t>> addresses;
  for (const FakeLaunch &launch : fakeState().launches)
    addresses.push_back(launch.parameters[0]);
  const size_t count = static_cast<size_t>(sets.count());
  CHECK(std::set(addresses.begin(), addresses.end()).size() == count);
  for (size_t i = count; i < addresses.size(); ++i)
    REQUIRE(addresses[i] == addresses[i - count]);
  CHECK(fakeState().launches.front().attributes.size() == 1); // PDL
}

TEST_CASE("measure: one workspace serves all sets", "[measure]") {
  const Device device = fakeDevice();
  ModuleAbi abi;
  abi.target = "sm_90a";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {exampleKernel()};
  KernelAbi &bent = abi.kernels.front();
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "M * 8";
  bent.arguments.push_back(workspace);
  for (AbiVariant &variant : bent.variants)
    variant.parameters.push_back({AbiParameter::Kind::Pointer, "w", {}});
  fakeState().parameterSizes = std::vector<size_t>(7, 8);
  const std::string image = cubinOf({}) + abiRecord(abi);
  const Kernel kernel = Module::fromImage(device, bytesOf(image)).kernel();
  const TensorSets sets(device, kernel.abi(), {{"M", 64}, {"K", 256}}, {}, {.rotatedBytes = 200'000});
  REQUIRE(sets.count() > 2);
  const size_t before = fakeState().allocations.size();
  const Contender contender = contenderOf(kernel, sets, "wide");
  CHECK(fakeState().allocations.size() == before + 1);
}

TEST_CASE("measure: a driver that fails", "[measure]") {
  const Device device = fakeDevice();
  const Kernel kernel = exampleOn(device);
  const TensorSets sets(device, kernel.abi(), {{"M", 8}, {"K", 64}}, {}, {.rotatedBytes = 0});
  const Contender contenders[] = {contenderOf(kernel, sets, "wide")};
  fakeState().failing = "cuGraphLaunch";
  CHECK_THAT(failure(ErrorKind::Device, [&] { compare(device, contenders, 1, kCold); }),
             Catch::Contains("cannot launch a graph"));
}
