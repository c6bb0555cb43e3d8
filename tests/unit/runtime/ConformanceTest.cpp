// What everything above the driver table relies on; runs on whatever device the program is linked with.
#include "tests/unit/runtime/Conformance.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Graph.h"
#include "runtime/device/Stream.h"
#include "tests/unit/runtime/Failure.h"

#include <numeric>
#include <thread>

using namespace mxc;
using Catch::Contains;

static std::vector<std::byte> pattern(size_t bytes) {
  std::vector<std::byte> result(bytes);
  for (size_t i = 0; i < bytes; ++i)
    result[i] = static_cast<std::byte>(i * 7 + 3);
  return result;
}
static std::vector<std::byte> contents(const Buffer &buffer) {
  std::vector<std::byte> result(buffer.bytes());
  buffer.download(result);
  return result;
}

/// Enqueues what a launch does with a workspace: a fill of the buffer's first bytes, of all if none are said.
static void enqueueFill(const Buffer &buffer, uint8_t value, const Stream &stream, size_t bytes = SIZE_MAX) {
  const Device &device = buffer.device();
  ContextScope scope(device);
  device.check(
      device.driver().cuMemsetD8Async(buffer.address(), value, std::min(bytes, buffer.bytes()), stream),
      "enqueue a fill");
}

TEST_CASE("a device describes itself", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  CHECK(!device.model().empty());
  CHECK(device.computeCapability().major >= 7);
  CHECK(device.limits().multiprocessors > 0);
  CHECK(device.limits().sharedBytesPerBlockOptIn >= device.limits().sharedBytesPerBlock);
  CHECK(device.limits().memoryBytes > 0);
  CHECK(device.freeBytes() > 0);
  CHECK(device.driverVersion() >= 12000);
}

TEST_CASE("a buffer gives back what was put in", MXC_CONFORMANCE_TAGS) {
  Buffer buffer(conformanceDevice(), 10007);
  std::vector<std::byte> data = pattern(buffer.bytes());
  buffer.upload(data);
  CHECK(contents(buffer) == data);

  buffer.upload(std::span(data).first(100), 500);
  std::copy_n(data.begin(), 100, data.begin() + 500);
  CHECK(contents(buffer) == data);
  std::vector<std::byte> part(10);
  buffer.download(part, 9997);
  CHECK(std::equal(part.begin(), part.end(), data.end() - 10));
}

TEST_CASE("a fill covers the whole buffer, and a copy on the device what it is told", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Buffer first(device, 4099), second(device, 4099);
  first.fill(0xA5);
  second.fill(0);
  ContextScope scope(device);
  device.check(device.driver().cuMemcpyDtoD_v2(second.address() + 1, first.address(), 4000), "copy");
  std::vector<std::byte> expected(4099, std::byte{0});
  std::fill_n(expected.begin() + 1, 4000, std::byte{0xA5});
  CHECK(contents(second) == expected);
}

TEST_CASE("work on a stream is done in its order", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream stream(device);
  Buffer buffer(device, 65536);
  enqueueFill(buffer, 1, stream);
  enqueueFill(buffer, 2, stream, 4096);
  enqueueFill(buffer, 3, stream, 512);
  stream.synchronize();
  CHECK(stream.isIdle());
  std::vector<std::byte> expected(65536, std::byte{1});
  std::fill_n(expected.begin(), 4096, std::byte{2});
  std::fill_n(expected.begin(), 512, std::byte{3});
  CHECK(contents(buffer) == expected);
}

TEST_CASE("memory of a stream can be used by its later work", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream stream(device);
  Buffer result(device, 64);
  ContextScope scope(device);
  const Driver &driver = device.driver();
  CUdeviceptr address = 0;
  device.check(driver.cuMemAllocFromPoolAsync(&address, 64, device.pool(), stream), "allocate");
  device.check(driver.cuMemsetD8Async(address, 4, 64, stream), "fill");
  stream.synchronize();
  device.check(driver.cuMemcpyDtoD_v2(result.address(), address, 64), "copy");
  device.check(driver.cuMemFreeAsync(address, stream), "free");
  stream.synchronize();
  CHECK(contents(result) == std::vector<std::byte>(64, std::byte{4}));
}

TEST_CASE("events order streams and take the time", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream first(device), second(device);
  Event begin(device), end(device);
  Buffer buffer(device, 1 << 20);
  begin.record(first);
  enqueueFill(buffer, 1, first);
  end.record(first);
  second.waitFor(end);
  enqueueFill(buffer, 2, second);
  second.synchronize();
  end.synchronize();
  CHECK(end.microsSince(begin) >= 0);
  CHECK(contents(buffer) == std::vector<std::byte>(1 << 20, std::byte{2}));
}

TEST_CASE("a device waits for all its streams", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream first(device), second(device);
  Buffer buffer(device, 1 << 20), other(device, 1 << 20);
  enqueueFill(buffer, 1, first);
  enqueueFill(other, 2, second);
  device.synchronize();
  CHECK((first.isIdle() && second.isIdle()));
  CHECK(contents(buffer) == std::vector<std::byte>(1 << 20, std::byte{1}));
  CHECK(contents(other) == std::vector<std::byte>(1 << 20, std::byte{2}));
}

TEST_CASE("an event that was not recorded has no time", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Event begin(device), end(device);
  CHECK_THAT(failure(ErrorKind::Device, [&] { end.microsSince(begin); }), Contains("cannot take the time"));
}

TEST_CASE("a graph does its work when launched, as often as launched", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream stream(device);
  Buffer buffer(device, 256);
  buffer.fill(0);
  Graph graph = Graph::capture(stream, [&] { enqueueFill(buffer, 9, stream); });
  CHECK(contents(buffer) == std::vector<std::byte>(256, std::byte{0}));
  for (int i = 0; i < 2; ++i) {
    buffer.fill(0);
    graph.launch(stream);
    stream.synchronize();
    CHECK(contents(buffer) == std::vector<std::byte>(256, std::byte{9}));
  }
}

TEST_CASE("an exception inside a capture ends it", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Stream stream(device);
  CHECK_THROWS_WITH(Graph::capture(stream, [] { throw std::runtime_error("mine"); }), "mine");
  Buffer buffer(device, 16);
  enqueueFill(buffer, 1, stream);
  stream.synchronize();
  CHECK(contents(buffer) == std::vector<std::byte>(16, std::byte{1}));
}

TEST_CASE("no bytes are no problem", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Buffer empty(device, 0);
  CHECK(empty.address() == 0);
  empty.upload({});
  empty.download({});
  empty.fill(1);
  CHECK(extentBytes(empty.view("bf16", {0, 8})) == 0);
}

TEST_CASE("a range outside a buffer is refused before the driver sees it", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Buffer buffer(device, 100);
  std::vector<std::byte> data(101);
  CHECK_THAT(invalidInput([&] { buffer.upload(data); }), Contains("100 bytes, found 101 bytes at offset 0"));
  CHECK_THAT(invalidInput([&] { buffer.download(data); }), Contains("cannot download"));
  CHECK_THAT(invalidInput([&] { buffer.upload(std::span(data).first(1), 100); }),
             Contains("1 bytes at offset 100"));
  CHECK_THAT(invalidInput([&] { buffer.upload({}, 101); }), Contains("0 bytes at offset 101"));
  CHECK_THAT(invalidInput([&] { buffer.download(std::span(data).first(8), SIZE_MAX - 3); }),
             Contains("8 bytes"));
  CHECK_THAT(invalidInput([&] { buffer.view("f32", {5, 5}, {}, 4); }), Contains("100 bytes at offset 4"));
  CHECK(buffer.view("f32", {5, 5}).address == buffer.address());
  CHECK(buffer.view("bf16", {3, 2}, {16, 1}, 32).address == buffer.address() + 32);
}

TEST_CASE("more memory than there is is a device error, and the device works on", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  CHECK_THAT(failure(ErrorKind::Device, [&] { Buffer(device, size_t(1) << 45); }),
             Contains("cannot allocate 35184372088832 bytes on " + device.name() +
                      ": CUDA_ERROR_OUT_OF_MEMORY (2)"));
  Buffer buffer(device, 16);
  buffer.fill(3);
  CHECK(contents(buffer).back() == std::byte{3});
}

TEST_CASE("handles move", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  Buffer buffer(device, 64);
  uint64_t address = buffer.address();
  Buffer moved = std::move(buffer);
  CHECK((moved.address() == address && buffer.address() == 0 && buffer.bytes() == 0));
  moved = Buffer(device, 32);
  CHECK(moved.bytes() == 32);
  Stream stream(device), other(device);
  stream = std::move(other);
  stream.synchronize();
  Event event(device), second(device);
  event = std::move(second);
  event.record(stream);
}

TEST_CASE("a buffer outlives the handle it was made with, and may die on another thread",
          MXC_CONFORMANCE_TAGS) {
  auto device = std::make_unique<Device>(conformanceDevice());
  auto buffer = std::make_unique<Buffer>(*device, 128);
  device.reset();
  std::thread([&] {
    buffer->fill(5);
    CHECK(contents(*buffer).front() == std::byte{5});
    buffer.reset();
  }).join();
}
