#include "runtime/simulator/machine/KernelHeap.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {
constexpr uint64_t kBytes = 1 << 20;
}

TEST_CASE("blocks of the kernels' heap do not overlap, and room that is given back is whole again") {
  GlobalMemory memory(uint64_t(1) << 30);
  KernelHeap heap(memory);
  REQUIRE(heap.setLimit(kBytes));
  const uint64_t a = heap.allocate(1), b = heap.allocate(100), c = heap.allocate(48);
  CHECK((a % 16 == 0 && b >= a + 16 && c >= b + 100 && c % 16 == 0));
  REQUIRE(memory.find(a, kBytes));
  CHECK(memory.find(a, kBytes)->name == "the heap of kernels");
  const uint64_t aligned = heap.allocate(64, 4096);
  CHECK((aligned && aligned % 4096 == 0));
  for (uint64_t block : {b, aligned, a, c}) // neighbours before, after and on both sides
    CHECK(heap.release(block));
  CHECK(heap.allocate(kBytes) == a);
}

TEST_CASE("what the kernels' heap cannot give or take back") {
  GlobalMemory memory(uint64_t(1) << 30);
  KernelHeap heap(memory);
  REQUIRE(heap.setLimit(kBytes));
  CHECK_FALSE(heap.release(4096));
  const uint64_t most = heap.allocate(kBytes - 16);
  CHECK(most);
  CHECK(heap.allocate(17) == 0);
  CHECK(heap.allocate(0) == 0);
  CHECK(heap.allocate(~uint64_t(0)) == 0);
  const uint64_t last = heap.allocate(16);
  CHECK(last);
  CHECK_FALSE(heap.release(last + 8));
  CHECK(heap.release(last));
  CHECK_FALSE(heap.release(last));
  CHECK_FALSE(heap.setLimit(kBytes * 2)); // it is in use
  CHECK(heap.limit() == kBytes);
  heap.reset();
  CHECK_FALSE(memory.find(most, 1));
  CHECK(heap.setLimit(kBytes * 2));
}

TEST_CASE("a block that was given back holds nothing that anybody wrote") {
  GlobalMemory memory(uint64_t(1) << 30);
  KernelHeap heap(memory);
  const uint64_t block = heap.allocate(32);
  memory.markWritten(block, 32);
  CHECK(heap.release(block));
  REQUIRE(heap.allocate(32) == block);
  CHECK(*memory.shadow(block) == 0);
}

TEST_CASE("a heap that device memory has no room for gives nothing") {
  GlobalMemory memory(uint64_t(1) << 20);
  KernelHeap heap(memory);
  CHECK(heap.allocate(1) == 0);
}
