#include "runtime/measure/TensorSets.h"
#include "dialect/formats/ElementFormat.h"
#include "runtime/measure/InputValues.h"
#include "tests/unit/runtime/ExampleKernel.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <bit>
#include <cmath>

using namespace mxc;
using namespace mxc::measure;

static std::vector<float> bf16Values(std::span<const std::byte> bytes) {
  std::vector<float> values;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2)
    values.push_back(std::bit_cast<float>(uint32_t(bytes[i]) << 16 | uint32_t(bytes[i + 1]) << 24));
  return values;
}

static std::vector<std::byte> made(const std::string &type, size_t bytes, uint64_t seed = 1) {
  std::vector<std::byte> values(bytes);
  fillInput({"x", type}, seed, values);
  return values;
}

TEST_CASE("input values: heavy tails, and nothing that is no number", "[measure]") {
  const std::vector<float> values = bf16Values(made("bf16", 1 << 18));
  double smallest = HUGE_VAL, largest = 0, sum = 0;
  for (size_t block = 0; block < values.size(); block += 32) {
    double amax = 0;
    for (size_t i = block; i < block + 32; ++i) {
      REQUIRE(std::isfinite(values[i]));
      amax = std::max(amax, std::abs(double(values[i])));
      sum += values[i] > 0 ? 1 : -1;
    }
    smallest = std::min(smallest, amax), largest = std::max(largest, amax);
  }
  CHECK(largest / smallest > 0x1p20);
  CHECK(std::abs(sum) < 0.02 * double(values.size()));
  CHECK(made("bf16", 64, 1) != made("bf16", 64, 2));
}

TEST_CASE("input values: every finite code, and no other", "[measure]") {
  for (ElementFormat format : {ElementFormat::E4M3, ElementFormat::E5M2}) {
    std::vector<bool> seen(256);
    for (std::byte code : made(std::string(info(format).name), 1 << 16)) {
      REQUIRE(std::isfinite(decode(format, uint8_t(code))));
      seen[size_t(code)] = true;
    }
    for (size_t code = 0; code < 256; ++code)
      CHECK(seen[code] == std::isfinite(decode(format, uint8_t(code))));
  }
  for (std::byte scale : made("ue8m0", 4096))
    REQUIRE((uint8_t(scale) >= 127 - 16 && uint8_t(scale) <= 127 + 7));
}

TEST_CASE("input values: places are not made up", "[measure]") {
  CHECK_THAT(invalidInput([] { made("i32", 64); }), Catch::Contains("argument 'x' of type i32"));
}

TEST_CASE("tensor sets: sizes, addresses and what a launch needs", "[measure]") {
  const Device device = fakeDevice();
  TensorSets sets(device, exampleKernel(), {{"M", 130}, {"K", 96}}, {}, {.rotatedBytes = 500'000});
  CHECK(sets.bytesRead() == 130 * 96 * 2);
  CHECK(sets.bytesWritten() == 130 * 96 + 130 * 3); // not the padded tiles
  REQUIRE(sets.count() > 5);
  for (int set = 0; set < sets.count(); ++set) {
    const Arguments &arguments = sets.arguments(set);
    REQUIRE(arguments.size() == 3);
    for (const Argument &argument : arguments)
      CHECK(argument.view.address % 256 == sets.arguments(0)[0].view.address % 256);
    CHECK(arguments[2].view.shape == std::vector<int64_t>{2 * 512});
  }
  sets.fillOutputs(0x5a);
  CHECK(sets.download(3, "q") == std::vector<std::byte>(130 * 96, std::byte(0x5a)));
  CHECK_FALSE(bf16Values(sets.download(3, "x")).empty());
  CHECK_FALSE(sets.download(3, "x") == sets.download(2, "x"));
}

TEST_CASE("tensor sets: a tensor of no elements", "[measure]") {
  const Device device = fakeDevice();
  const TensorSets sets(device, exampleKernel(), {{"M", 0}, {"K", 96}});
  CHECK((sets.count() == 1 && sets.bytesNeeded() == 0));
}
