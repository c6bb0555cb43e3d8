#include "runtime/Kernel.h"
#include "runtime/Buffer.h"
#include "runtime/Stream.h"
#include "runtime/TensorMap.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <cstring>

using namespace mxc;
using Catch::Contains;

/// The example kernel on a fake device, its ABI bent by `bend`.
template <typename Bend> static Kernel kernelWith(Bend bend) {
  Device device = fakeDevice();
  ModuleAbi abi;
  abi.target = "sm_90a";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {exampleKernel()};
  bend(abi.kernels[0].variants[0]);
  std::string image = cubinOf({}) + abiRecord(abi);
  fakeState().parameterSizes = {8, 8, 8, 8, 8, 8};
  return Module::fromImage(device, bytesOf(image)).kernel();
}
static Kernel kernelAsIs() {
  return kernelWith([](AbiVariant &) {});
}
static const FakeLaunch &onlyLaunch() {
  REQUIRE(fakeState().launches.size() == 1);
  return fakeState().launches.front();
}
static uint64_t word(const std::vector<uint8_t> &bytes) {
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST_CASE("a launch reaches the driver with its configuration and parameters", "[kernel]") {
  Kernel kernel = kernelAsIs();
  Stream stream(kernel.module().device());
  kernel.launch(exampleArguments(64, 1024), {.stream = stream});
  const FakeLaunch &launch = onlyLaunch();
  CHECK(launch.entry == "quantize_wide");
  CHECK((launch.config.gridDimX == 4 && launch.config.gridDimY == 64 && launch.config.gridDimZ == 1));
  CHECK((launch.config.blockDimX == 128 && launch.config.sharedMemBytes == 1024));
  CHECK(launch.config.hStream == stream.handle());
  CHECK(launch.attributes.empty());
  CHECK(word(launch.parameters[0]) == 0x10000000);
  CHECK(word(launch.parameters[1]) == 1024);
  CHECK(word(launch.parameters[5]) == 1024);
  CHECK(fakeState().attributes.empty());
  CHECK(fakeState().contextDepth == 0);
}

TEST_CASE("arguments of buffers launch as they are", "[kernel]") {
  Kernel kernel = kernelAsIs();
  const Device &device = kernel.module().device();
  Buffer x(device, 64 * 256 * 2), q(device, 64 * 256), s(device, 1024);
  kernel.launch(
      {{"x", x.view("bf16", {64, 256})}, {"q", q.view("e4m3", {64, 256})}, {"s", s.view("ue8m0", {1024})}});
  CHECK(word(onlyLaunch().parameters[2]) == q.address());
}

TEST_CASE("an empty grid launches nothing", "[kernel]") {
  Kernel kernel = kernelAsIs();
  kernel.launch(exampleArguments(0, 256));
  CHECK(fakeState().launches.empty());
}

TEST_CASE("a bad call is refused and nothing is launched", "[kernel]") {
  Kernel kernel = kernelAsIs();
  CHECK_THAT(invalidInput([&] { kernel.launch({}); }), Contains("no argument says how large"));
  CHECK(fakeState().launches.empty());
}

TEST_CASE("a prepared launch is made once and launched many times", "[kernel]") {
  Kernel kernel = kernelAsIs();
  PreparedLaunch first = kernel.prepare(exampleArguments());
  PreparedLaunch prepared = std::move(first);
  Stream stream(kernel.module().device());
  for (int i = 0; i < 3; ++i)
    prepared.launch(stream);
  REQUIRE(fakeState().launches.size() == 3);
  CHECK(word(fakeState().launches[2].parameters[3]) == 0x30000000);
  CHECK(fakeState().launches[2].config.hStream == stream.handle());
  CHECK(prepared.plan().grid[1] == 64);
}

TEST_CASE("PDL and clusters are launch attributes", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) { variant.cluster[1] = 2; });
  kernel.launch(exampleArguments(), {.pdl = true});
  const FakeLaunch &launch = onlyLaunch();
  REQUIRE(launch.attributes.size() == 2);
  CHECK(launch.attributes[0].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  CHECK((launch.attributes[0].value.clusterDim.x == 1 && launch.attributes[0].value.clusterDim.y == 2));
  CHECK(launch.attributes[1].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  CHECK(launch.attributes[1].value.programmaticStreamSerializationAllowed == 1);
  CHECK(fakeState().attributes.empty());
}

TEST_CASE("shared memory beyond 48 KiB and clusters beyond 8 are asked for", "[kernel]") {
  Kernel kernel =
      kernelWith([](AbiVariant &variant) { variant.sharedBytes = 200000, variant.cluster[1] = 16; });
  kernel.launch(exampleArguments());
  CHECK(fakeState().attributes[{"quantize_wide", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES}] == 200000);
  CHECK(fakeState().attributes[{"quantize_wide", CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED}] == 1);
  CHECK(onlyLaunch().config.sharedMemBytes == 200000);
}

TEST_CASE("more shared memory than the device has is a device error with both numbers", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) { variant.sharedBytes = 232449; });
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("needs 232449 bytes of shared memory, Fake GPU has 232448 a block"));
}

TEST_CASE("tensor maps are encoded by the driver from the recipe", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) {
    variant.parameters = {{AbiParameter::Kind::Dimension, "M", {}},
                          {AbiParameter::Kind::TensorMap, "x", {"x", {64, 32}, 128}},
                          {AbiParameter::Kind::TensorMap, "q", {"q", {128, 16}, 0}}};
  });
  fakeState().parameterSizes = {8, 128, 128};
  kernel.launch(exampleArguments());
  REQUIRE(fakeState().tensorMaps.size() == 2);
  const FakeTensorMap &x = fakeState().tensorMaps[0], &q = fakeState().tensorMaps[1];
  CHECK((x.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 && x.address == 0x10000000));
  CHECK((x.columns == 256 && x.rows == 64 && x.rowStrideBytes == 512));
  CHECK((x.boxColumns == 64 && x.boxRows == 32 && x.swizzle == CU_TENSOR_MAP_SWIZZLE_128B));
  CHECK(x.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  CHECK((q.type == CU_TENSOR_MAP_DATA_TYPE_UINT8 && q.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE));
  CHECK(onlyLaunch().parameters[1] == std::vector<uint8_t>(128, 0xAB));
  CHECK(word(onlyLaunch().parameters[0]) == 64);
}

TEST_CASE("a tensor map that the driver refuses is reported with every value", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) {
    variant.parameters = {{AbiParameter::Kind::TensorMap, "x", {"x", {64, 32}, 128}}};
  });
  fakeState().failing = "cuTensorMapEncodeTiled";
  fakeState().failure = CUDA_ERROR_INVALID_VALUE;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot encode the tensor map of 'x' (type bf16, address 0x10000000, 64 rows x 256 "
                      "columns, row stride "
                      "512 bytes, box 32 x 64, swizzle 128 bytes) on cuda:0"));
}

TEST_CASE("a type or swizzle that tensor maps lack is refused", "[kernel]") {
  Device device = fakeDevice();
  std::byte map[sizeof(CUtensorMap)];
  TensorMapRequest request{0, "x", "bf16", 0x10000000, 256, 64, 512, {64, 32}, 96};
  CHECK_THAT(invalidInput([&] { encodeTensorMap(device, request, map); }),
             Contains("expected a swizzle of 0, 32, 64 or 128 bytes, found 96"));
  request.swizzleBytes = 64;
  CHECK_NOTHROW(encodeTensorMap(device, request, map));
  request.type = "e2m3";
  CHECK_THAT(invalidInput([&] { encodeTensorMap(device, request, map); }),
             Contains("'x': tensor maps have no type for e2m3"));
}

TEST_CASE("failures of the driver name the entry", "[kernel]") {
  Kernel kernel = kernelAsIs();
  fakeState().failing = "cuModuleGetFunction";
  fakeState().failure = CUDA_ERROR_NOT_FOUND;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot find entry quantize_wide of image in memory on cuda:0"));
  fakeState().failing = "cuLaunchKernelEx";
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot launch quantize_wide"));
  CHECK(fakeState().contextDepth == 0);
}

TEST_CASE("nothing is left behind", "[kernel]") {
  {
    Kernel kernel = kernelAsIs();
    const Device &device = kernel.module().device();
    Buffer buffer(device, 16);
    Stream stream(device);
    Event event(device);
    PreparedLaunch prepared = kernel.prepare(exampleArguments());
  }
  const FakeDriverState &s = fakeState();
  CHECK((s.retained == 0 && s.modules == 0 && s.streams == 0 && s.events == 0 && s.allocations.empty()));
}
