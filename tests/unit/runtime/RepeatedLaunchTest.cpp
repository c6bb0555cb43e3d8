// A call whose arguments differ from an earlier one's in nothing but addresses is not planned again.
#include "runtime/device/Buffer.h"
#include "runtime/launch/Kernel.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/LoadedKernel.h"

#include <cstring>

using namespace mxc;
using Catch::Contains;

static uint64_t word(size_t launch, size_t parameter) {
  uint64_t value;
  std::memcpy(&value, fakeState().launches[launch].parameters[parameter].data(), sizeof value);
  return value;
}
static Arguments at(uint64_t x, uint64_t q, uint64_t s, int64_t m = 64) {
  Arguments arguments = exampleArguments(m, 256);
  const uint64_t addresses[] = {x, q, s};
  for (size_t i = 0; i < 3; ++i)
    arguments[i].view.address = addresses[i];
  return arguments;
}

TEST_CASE("a repeated launch goes to the addresses of its own call", "[kernel][repeated]") {
  const Kernel kernel = loaded(exampleKernel(), 6);
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000));
  kernel.launch(at(0x40000000, 0x20000000, 0x60000000));
  kernel.launch(at(0x10000000, 0x50000000, 0x30000000));
  REQUIRE(fakeState().launches.size() == 3);
  CHECK((word(1, 0) == 0x40000000 && word(1, 2) == 0x20000000 && word(1, 3) == 0x60000000));
  CHECK((word(2, 0) == 0x10000000 && word(2, 2) == 0x50000000 && word(2, 3) == 0x30000000));
  CHECK((word(2, 4) == 64 && fakeState().launches[2].config.gridDimY == 64));
}

TEST_CASE("what differs in more than addresses is another launch", "[kernel][repeated]") {
  const Kernel kernel = loaded(exampleKernel(), 6);
  const auto entry = [](size_t launch) { return fakeState().launches[launch].entry; };
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000));
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000, 96));
  CHECK((word(1, 4) == 96 && fakeState().launches[1].config.gridDimY == 96));
  kernel.launch(at(0x10000002, 0x20000000, 0x30000000)); // not what "wide" asks for
  CHECK((entry(0) == "quantize_wide" && entry(2) == "quantize_plain"));
  Arguments apart = at(0x10000000, 0x20000000, 0x30000000);
  apart[0].view.strides = {512, 1};
  kernel.launch(apart);
  CHECK(word(3, 1) == 512);
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000), {.pdl = true});
  CHECK(fakeState().launches[4].attributes.size() == 1);
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000), {.variant = 1});
  CHECK(entry(5) == "quantize_plain");
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000)); // the first one again
  CHECK((entry(6) == "quantize_wide" && word(6, 1) == 256 && fakeState().launches[6].attributes.empty()));
}

TEST_CASE("addresses are checked at each repetition", "[kernel][repeated]") {
  const Kernel kernel = loaded(exampleKernel(), 6);
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000));
  const auto refusal = [&](uint64_t x, uint64_t q, uint64_t s) {
    return invalidInput([&] { kernel.launch(at(x, q, s)); });
  };
  CHECK_THAT(refusal(0, 0x20000000, 0x30000000), Contains("null address"));
  CHECK_THAT(refusal(0x10000000, 0x10000000, 0x30000000), Contains("output 'q' overlaps argument 'x'"));
  CHECK_THAT(refusal(0x10000000, 0x20000000, 0x20003FF0), Contains("overlaps"));
  CHECK_THAT(refusal(~uint64_t(0) - 15, 0x20000000, 0x30000000), Contains("beyond the address space"));
  CHECK_THAT(refusal(0x10000000, 0x20000000, 0x30000001), Contains("multiple of 16 bytes"));
  CHECK(fakeState().launches.size() == 1);
}

TEST_CASE("tensor maps are encoded again where their address is another", "[kernel][repeated]") {
  KernelAbi abi = exampleKernel();
  TensorMapRecipe q = exampleMap("q", 128, 16);
  q.offset = "16 * K";
  abi.variants[0].parameters = {{AbiParameter::Kind::TensorMap, "x", exampleMap("x", 64, 32)},
                                {AbiParameter::Kind::TensorMap, "q", q}};
  const Kernel kernel = loaded(abi, 0);
  fakeState().parameterSizes = {128, 128};
  kernel.launch(at(0x10000000, 0x20000000, 0x30000000));
  kernel.launch(at(0x10000000, 0x20000000, 0x40000000)); // neither
  CHECK(fakeState().tensorMaps.size() == 2);
  kernel.launch(at(0x10000000, 0x50000000, 0x40000000));
  REQUIRE(fakeState().tensorMaps.size() == 3);
  CHECK(fakeState().tensorMaps[2].address == 0x50000000 + 16 * 256);
}

TEST_CASE("every repetition has workspaces of its own, or those that it is given", "[kernel][repeated]") {
  KernelAbi abi = exampleKernel();
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = 300, workspace.zeroing = WorkspaceZeroing::EachLaunch;
  abi.arguments.push_back(workspace);
  abi.variants[0].parameters.push_back({AbiParameter::Kind::Pointer, "w", {}});
  const Kernel kernel = loaded(abi, 7);
  const Arguments arguments = at(0x10000000, 0x20000000, 0x30000000);
  for (size_t i = 0; i < 2; ++i) {
    kernel.launch(arguments);
    CHECK(word(i, 6) != 0);
  }
  CHECK((fakeState().streamOrdered == 2 && fakeState().allocations.empty()));
  for (size_t i = 0; i < 2; ++i) {
    Buffer memory(kernel.module().device(), 300);
    memory.fill(0xA5);
    Arguments given = arguments;
    given.push_back({"w", memory.view("u8", {300})});
    kernel.launch(given);
    CHECK(word(2 + i, 6) == memory.address());
    CHECK(*reinterpret_cast<const uint8_t *>(memory.address() + 299) == 0);
  }
  CHECK(fakeState().streamOrdered == 2);
}

TEST_CASE("a scalar's value is the call's, to the bit", "[kernel][repeated]") {
  KernelAbi abi = exampleKernel();
  AbiArgument scalar{"alpha", "f32"};
  scalar.kind = ArgumentKind::Scalar;
  abi.arguments.push_back(scalar);
  abi.variants[0].parameters[5] = {AbiParameter::Kind::Scalar, "alpha", {}};
  const Kernel kernel = loaded(abi, 0);
  fakeState().parameterSizes = {8, 8, 8, 8, 8, 4};
  const auto bits = [&](double alpha) {
    Arguments arguments = at(0x10000000, 0x20000000, 0x30000000);
    arguments.push_back({"alpha", alpha});
    kernel.launch(arguments);
    uint32_t value;
    std::memcpy(&value, fakeState().launches.back().parameters[5].data(), sizeof value);
    return value;
  };
  CHECK((bits(0.0) == 0 && bits(-0.0) == 0x80000000 && bits(1.0) == 0x3F800000 && bits(0.0) == 0));
}

TEST_CASE("of many launches the last ones are kept", "[kernel][repeated]") {
  const Kernel kernel = loaded(exampleKernel(), 6);
  for (int round = 0; round < 2; ++round)
    for (int64_t m = 1; m <= 40; ++m) {
      kernel.launch(at(0x10000000, 0x20000000, 0x30000000, m));
      CHECK(word(fakeState().launches.size() - 1, 4) == static_cast<uint64_t>(m));
    }
}
