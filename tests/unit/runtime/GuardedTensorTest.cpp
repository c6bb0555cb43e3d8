#include "runtime/launch/GuardedTensor.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

using namespace mxc;
using Catch::Contains;

static std::vector<std::byte> bytes(size_t count) { // 0, 1, ..
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

/// What a kernel would do.
static void store(const Device &device, uint64_t address, std::byte value) {
  ContextScope scope(device);
  device.check(device.driver().cuMemcpyHtoD_v2(address, &value, 1), "store");
}

static const Placement kPlacements[] = {{}, {0, 3}, {40, 0}, {37, 5}};

TEST_CASE("a guarded tensor holds contiguous rows wherever it lies, and is whole at first", "[guarded]") {
  Device device = fakeDevice();
  for (Placement placement : kPlacements) {
    GuardedTensor tensor(device, "bf16", {4, 33}, placement);
    CHECK(tensor.view().address % 256 == static_cast<uint64_t>(placement.offset) * 2);
    CHECK(tensor.firstDamage() == std::nullopt);
    tensor.upload(bytes(4 * 33 * 2));
    CHECK((tensor.download() == bytes(4 * 33 * 2)));
    CHECK(tensor.firstDamage() == std::nullopt);
  }
}

TEST_CASE("matrices of a batch lie apart, and what is between them counts", "[guarded]") {
  Device device = fakeDevice();
  GuardedTensor tensor(device, "e4m3", {3, 2, 8}, {16, 0, 5}); // 3 rows of 16 bytes after each but the last
  CHECK((tensor.view().strides == std::vector<int64_t>{80, 16, 1}));
  tensor.upload(bytes(3 * 2 * 8));
  CHECK((tensor.download() == bytes(3 * 2 * 8)));
  CHECK(tensor.firstDamage() == std::nullopt);
  store(device, tensor.view().address + 80 + 16 + 7, std::byte{1}); // the last element of the second one
  CHECK(tensor.firstDamage() == std::nullopt);
  store(device, tensor.view().address + 32, std::byte{1}); // where a third row would be
  CHECK(tensor.firstDamage() == 32);
}

TEST_CASE("a tensor without elements has any other sizes", "[guarded]") {
  Device device = fakeDevice();
  const int64_t large = int64_t(1) << 40;
  for (const std::vector<int64_t> &shape :
       {std::vector{large, large, int64_t(0)}, {int64_t(0), large, large}, {large, int64_t(0), large}}) {
    GuardedTensor tensor(device, "f32", shape);
    CHECK(tensor.download().empty());
    CHECK_FALSE(tensor.firstDamage());
  }
  CHECK_THAT(invalidInput([&] { GuardedTensor(device, "f32", {large, large, 1}); }),
             Contains("exceeds 2^63-1 bits"));
}

TEST_CASE("every byte beside a guarded tensor counts, whatever is written there", "[guarded]") {
  Device device = fakeDevice();
  for (int64_t place : {-256, -1, 33, 36, 4 * 37 - 4, 4 * 37 + 251}) { // 33 elements, then a gap of 4
    int found = 0;
    for (int value = 0; value < 256; ++value) {
      GuardedTensor tensor(device, "e4m3", {4, 33}, {37, 0});
      store(device, tensor.view().address + static_cast<uint64_t>(place), static_cast<std::byte>(value));
      if (tensor.firstDamage() == place) ++found;
    }
    INFO(place);
    CHECK(found == 255); // the one left is what stood there
  }
}

TEST_CASE("a value written all over the guards is damage, 0xA5 too", "[guarded]") {
  Device device = fakeDevice();
  GuardedTensor tensor(device, "e4m3", {1, 32});
  for (uint64_t i = 32; i < 34; ++i)
    store(device, tensor.view().address + i, std::byte{0xA5});
  CHECK(tensor.firstDamage().has_value());
}

TEST_CASE("poison is wrong for every expected byte, and far from it", "[guarded]") {
  Device device = fakeDevice();
  for (Placement placement : kPlacements) {
    GuardedTensor tensor(device, "e4m3", {8, 32}, placement);
    tensor.poisonAgainst(bytes(256));
    std::vector<std::byte> poison = tensor.download();
    for (int i = 0; i < 256; ++i)
      CHECK(std::abs(i - std::to_integer<int>(poison[static_cast<size_t>(i)])) > 64);
    CHECK(tensor.firstDamage() == std::nullopt);
  }
  GuardedTensor tensor(device, "e4m3", {8, 32});
  CHECK_THAT(invalidInput([&] { tensor.poisonAgainst(bytes(255)); }),
             Contains("expected 256 bytes") && Contains("found 255"));
}
