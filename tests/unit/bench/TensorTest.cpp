// The kernels that only multiply, on the simulator: as many multiply-adds as they say, and of numbers.
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "runtime/measure/TensorKernel.h"
#include "runtime/measure/TensorSets.h"
#include "runtime/simulator/driver/Control.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mxc;
using namespace mxc::measure;

TEST_CASE("bench: kernels that multiply do what they say, on every chip with products", "[bench]") {
  for (const char *target : {"sm_90a", "sm_100a", "sm_103a"}) {
    INFO(target);
    const Device device = openDevice("simulator:" + std::string(target));
    sim::Options options = sim::simulatorOptions(target);
    options.collectStatistics = true;
    sim::setChecks(options, "strict");
    sim::setSimulatorOptions(target, options);
    for (const int rounds : {1, 2}) {
      const std::optional<TensorKernel> tensor = TensorKernel::of(device.computeCapability(), rounds);
      REQUIRE(tensor);
      const Kernel kernel =
          Module::fromImage(device, std::as_bytes(std::span(tensor->image)), "tensor").kernel();
      constexpr int64_t kCtas = 2;
      TensorSets sets(device, kernel.abi(), {{"C", kCtas}}, {}, {.rotatedBytes = 0});
      sim::takeSimulatorStatistics(target);
      const Stream stream(device);
      kernel.prepare(sets.arguments(0)).launch(stream);
      stream.synchronize();
      const sim::Statistics counts = sim::takeSimulatorStatistics(target);
      CHECK(2 * double(counts.tensorOperations) == tensor->operationsOfCta * double(kCtas));
      CHECK(counts.globalLoadBytes + counts.bulkLoadBytes == 0);
      std::vector<float> sums(kCtas * 256);
      const std::vector<std::byte> bytes = sets.download(0, "out");
      REQUIRE(bytes.size() == sums.size() * sizeof(float));
      std::memcpy(sums.data(), bytes.data(), bytes.size());
      CHECK(std::ranges::all_of(sums, [](float sum) { return std::isfinite(sum); }));
      CHECK(std::ranges::count_if(sums, [](float sum) { return sum != 0; }) >= kCtas * 128);
      CHECK(std::ranges::equal(std::span(sums).first(256), std::span(sums).last(256)));
    }
  }
  CHECK_FALSE(TensorKernel::of({12, 0}, 1));
}
