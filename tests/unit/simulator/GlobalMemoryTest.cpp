#include "runtime/simulator/machine/GlobalMemory.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/HostMemory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using mxc::sim::GlobalMemory;

TEST_CASE("allocations are aligned, apart, and the host's to read", "[simulator][memory]") {
  GlobalMemory memory(1 << 20);
  uint64_t first = memory.allocate(100, "first"), second = memory.allocate(1, "second"),
           third = memory.allocate(64, "third", 4096);
  CHECK((first && first % 512 == 0 && second % 512 == 0 && third % 4096 == 0));
  CHECK(second >= first + 100 + 256);
  std::memset(memory.host(first), 7, 100);
  CHECK(memory.host(first)[99] == std::byte{7});
  CHECK(memory.allocatedBytes() == 165);
}

TEST_CASE("an access is inside of one allocation or none", "[simulator][memory]") {
  GlobalMemory memory(1 << 20);
  uint64_t address = memory.allocate(100, "x");
  CHECK(memory.find(address, 100)->name == "x");
  CHECK(memory.find(address + 99, 1) != nullptr);
  for (auto [at, bytes] : {std::pair(address - 1, uint64_t(1)),
                           {address + 100, 1},
                           {address + 99, 2},
                           {address, 101},
                           {address, ~uint64_t(0)},
                           {0, 1},
                           {~uint64_t(0), 1}})
    CHECK(memory.find(at, bytes) == nullptr);
}

TEST_CASE("freed memory is found no more, and comes back unwritten", "[simulator][memory]") {
  GlobalMemory memory(64 << 10);
  uint64_t address = memory.allocate(40000, "x");
  std::memset(memory.host(address), 1, 40000);
  memory.markWritten(address, 40000);
  CHECK((*memory.shadow(address) == 1 && memory.shadow(address)[39999] == 1));
  CHECK(memory.release(address));
  CHECK_FALSE(memory.release(address));
  CHECK(memory.find(address, 1) == nullptr);
  uint64_t again = memory.allocate(40000, "y"); // there is room for one only
  REQUIRE(again == address);
  CHECK(std::all_of(memory.shadow(again), memory.shadow(again) + 40000,
                    [](uint8_t state) { return state == 0; }));
  CHECK(memory.allocate(40000, "z") == 0);
}

TEST_CASE("addresses are not reused while there is room", "[simulator][memory]") {
  GlobalMemory memory(1 << 20);
  uint64_t first = memory.allocate(1000, "first");
  memory.release(first);
  CHECK(memory.allocate(1000, "second") != first);
}

TEST_CASE("the gaps between allocations are used when the end is reached", "[simulator][memory]") {
  GlobalMemory memory(64 << 10);
  std::vector<uint64_t> all;
  while (uint64_t address = memory.allocate(512, ""))
    all.push_back(address);
  CHECK(all.size() > 60);
  memory.release(all[10]);
  CHECK(memory.allocate(512, "") == all[10]);
  for (uint64_t nothing : {uint64_t(0), uint64_t(1) << 40, ~uint64_t(0)})
    CHECK(memory.allocate(nothing, "") == 0);
}

TEST_CASE("an address is described by the nearest allocation", "[simulator][memory]") {
  GlobalMemory memory(1 << 20);
  uint64_t address = memory.allocate(100, "the table");
  CHECK_THAT(memory.describe(address + 100), Catch::StartsWith("0 bytes after the table of 100 bytes at 0x"));
  CHECK_THAT(memory.describe(address + 103), Catch::StartsWith("3 bytes after the table"));
  CHECK_THAT(memory.describe(address - 1), Catch::StartsWith("1 byte before the table"));
  CHECK_THAT(memory.describe(address + 5), Catch::StartsWith("5 bytes into the table"));
  CHECK(memory.describe(8) == "a null pointer");
  CHECK(memory.describe(address + (1 << 24)) == "near no allocation");
}

TEST_CASE("more address space than there is is a device error", "[simulator][memory]") {
  CHECK_THROWS_AS(GlobalMemory(uint64_t(1) << 60), mxc::Error);
}

TEST_CASE("small buffers that are freed leave nothing in the host's memory", "[simulator][memory]") {
  GlobalMemory memory(uint64_t(1) << 30);
  const uint64_t kept = memory.allocate(1000, "kept");
  std::memset(memory.host(kept), 1, 1000);
  memory.markWritten(kept, 1000);
  const uint64_t before = mxc::residentBytes();
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t address = memory.allocate(1024, "x");
    std::memset(memory.host(address), 1, 1024);
    memory.markWritten(address, 1024);
    memory.release(address);
  }
  CHECK(mxc::residentBytes() < before + (uint64_t(4) << 20));
  CHECK((memory.host(kept)[999] == std::byte{1} && *memory.shadow(kept + 999)));
}
