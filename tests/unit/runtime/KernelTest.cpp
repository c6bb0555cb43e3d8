#include "runtime/launch/Kernel.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Graph.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/TensorMap.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/LoadedKernel.h"

#include <algorithm>
#include <cstring>

using namespace mxc;
using Catch::Contains;

/// The example kernel on a fake device, its ABI bent by `bend`.
template <typename Bend> static Kernel kernelWith(Bend bend) {
  KernelAbi kernel = exampleKernel();
  bend(kernel.variants[0]);
  return loaded(kernel);
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

TEST_CASE("an upload has arrived when it returns, for streams too that do not wait for it", "[kernel]") {
  Device device = fakeDevice();
  Buffer buffer(device, 100);
  std::vector<std::byte> bytes(100, std::byte{7});
  buffer.upload(bytes);
  CHECK(std::memcmp(reinterpret_cast<const void *>(buffer.address()), bytes.data(), bytes.size()) == 0);
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
    TensorMapRecipe x = exampleMap("x", 64, 32), q = exampleMap("q", 128, 16);
    x.swizzle = TensorMapSwizzle::B128;
    q.promotion = TensorMapPromotion::None;
    q.elementStrides[1] = 2;
    q.offset = "16 * K";
    variant.parameters = {{AbiParameter::Kind::Dimension, "M", {}},
                          {AbiParameter::Kind::TensorMap, "x", x},
                          {AbiParameter::Kind::TensorMap, "q", q}};
  });
  fakeState().parameterSizes = {8, 128, 128};
  kernel.launch(exampleArguments());
  REQUIRE(fakeState().tensorMaps.size() == 2);
  const FakeTensorMap &x = fakeState().tensorMaps[0], &q = fakeState().tensorMaps[1];
  CHECK((x.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 && x.address == 0x10000000 && x.rank == 2));
  CHECK((x.sizes[0] == 256 && x.sizes[1] == 64 && x.strides[0] == 512));
  CHECK((x.box[0] == 64 && x.box[1] == 32 && x.swizzle == CU_TENSOR_MAP_SWIZZLE_128B));
  CHECK((x.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B && x.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  CHECK((q.type == CU_TENSOR_MAP_DATA_TYPE_UINT8 && q.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE));
  CHECK((q.address == 0x20000000 + 16 * 256 && q.promotion == CU_TENSOR_MAP_L2_PROMOTION_NONE));
  CHECK((q.elementStrides[0] == 1 && q.elementStrides[1] == 2));
  CHECK(onlyLaunch().parameters[1] == std::vector<uint8_t>(128, 0xAB));
  CHECK(word(onlyLaunch().parameters[0]) == 64);
}

TEST_CASE("every enumerator of a recipe is the driver's of that name", "[kernel]") {
  Device device = fakeDevice();
  std::byte map[sizeof(CUtensorMap)];
  const auto encoded = [&](TensorMapRequest request) {
    request.rank = 1;
    encodeTensorMap(device, request, map);
    return fakeState().tensorMaps.back();
  };
  const auto type = [&](TensorMapType t) { return encoded({0, "x", 0, t}).type; };
  CHECK(type(TensorMapType::U8) == CU_TENSOR_MAP_DATA_TYPE_UINT8);
  CHECK(type(TensorMapType::I64) == CU_TENSOR_MAP_DATA_TYPE_INT64);
  CHECK(type(TensorMapType::F16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  CHECK(type(TensorMapType::BF16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(type(TensorMapType::TF32FlushToZero) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
  CHECK(type(TensorMapType::U4Align8B) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
  CHECK(type(TensorMapType::U4Align16B) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
  CHECK(type(TensorMapType::U6Align16B) == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
  TensorMapRequest request;
  request.swizzle = TensorMapSwizzle::B128Atom32;
  request.promotion = TensorMapPromotion::B64;
  request.fill = TensorMapFill::Nan;
  CHECK(encoded(request).swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
  CHECK(encoded(request).promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
  CHECK(encoded(request).fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  request.swizzle = TensorMapSwizzle::B128Atom64;
  CHECK(encoded(request).swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
}

TEST_CASE("a tensor map that the driver refuses is reported with every value", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) {
    variant.parameters = {{AbiParameter::Kind::TensorMap, "x", exampleMap("x", 64, 32)}};
  });
  fakeState().parameterSizes = {128};
  fakeState().failing = "cuTensorMapEncodeTiled";
  fakeState().failure = CUDA_ERROR_INVALID_VALUE;
  CHECK_THAT(
      failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
      Contains("cannot encode the tensor map of 'x' (type bf16, address 0x10000000; innermost first: sizes "
               "256 x 64, strides 512 bytes, box 64 x 32, element strides 1 x 1; swizzle none, promotion "
               "256b, fill zeros) on cuda:0"));
}

// The driver copies as many bytes as the entry's own parameters have, from where the record's lie.
TEST_CASE("an entry whose parameters are not the record's is not launched", "[kernel]") {
  const auto refusal = [](const std::vector<size_t> &sizes) {
    Kernel kernel = kernelAsIs(); // six parameters of 8 bytes
    fakeState().parameterSizes = sizes;
    std::string message = invalidInput([&] { kernel.launch(exampleArguments()); });
    CHECK(fakeState().launches.empty());
    return message;
  };
  CHECK(refusal({8, 8, 8, 8, 8}) ==
        "image in memory: damaged ABI: entry quantize_wide: parameters: expected 6, found 5");
  CHECK_THAT(refusal({8, 8, 8, 8, 8, 8, 8}), Contains("parameters: expected 6, found more"));
  CHECK_THAT(refusal({8, 8, 100000, 8, 8, 8}), Contains("bytes of parameter 2: expected 8, found 100000"));
  CHECK_THAT(refusal({8, 8, 8, 8, 8, 4}), Contains("bytes of parameter 5: expected 8, found 4"));
}

TEST_CASE("failures of the driver name the entry", "[kernel]") {
  Kernel kernel = kernelAsIs();
  fakeState().failing = "cuModuleGetFunction";
  fakeState().failure = CUDA_ERROR_NOT_FOUND;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot find entry quantize_wide of image in memory on cuda:0"));
  fakeState().failing = "cuFuncGetParamInfo"; // which loads it, and says what went wrong before
  fakeState().failure = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot ask for the parameters of entry quantize_wide of image in memory on cuda:0: "
                      "CUDA_ERROR_ILLEGAL_ADDRESS"));
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

/// The example kernel with a workspace "w" of 300 bytes that its first variant takes as its seventh
/// parameter.
static Kernel kernelWithWorkspace(WorkspaceZeroing zeroing, int64_t alignment = 1) {
  KernelAbi kernel = exampleKernel();
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "SMs + 168", workspace.zeroing = zeroing, workspace.alignment = alignment;
  kernel.arguments.push_back(workspace);
  kernel.variants[0].parameters.push_back({AbiParameter::Kind::Pointer, "w", {}});
  Kernel result = loaded(kernel);
  fakeState().parameterSizes.push_back(8);
  return result;
}
static uint64_t workspaceOf(size_t launch) { return word(fakeState().launches[launch].parameters[6]); }
static bool isZero(uint64_t address) {
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(address);
  return std::all_of(bytes, bytes + 300, [](uint8_t byte) { return byte == 0; });
}

TEST_CASE("a workspace that is not given is allocated in the stream's order", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::EachLaunch);
  kernel.launch(exampleArguments());
  CHECK(workspaceOf(0) != 0);
  CHECK((fakeState().streamOrdered == 1 && fakeState().allocations.empty()));
  kernel.launch(exampleArguments(0, 256)); // nothing to launch, nothing to allocate
  fakeState().parameterSizes.pop_back();
  kernel.launch(exampleArguments(64, 250)); // the other variant, which takes none
  CHECK(fakeState().streamOrdered == 1);
  fakeState().failing = "cuMemAllocFromPoolAsync";
  fakeState().failure = CUDA_ERROR_OUT_OF_MEMORY;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("cannot allocate 300 bytes of workspace 'w' in a stream's order"));
}

TEST_CASE("a driver that allocates nothing in a graph: the error says what to do", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::No);
  fakeState().failing = "cuMemAllocFromPoolAsync";
  fakeState().failure = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CHECK_THAT(failure(ErrorKind::Device, [&] { kernel.launch(exampleArguments()); }),
             Contains("do it before the capture begins (a launch that needs workspaces: prepare it then"));
}

TEST_CASE("a kernel says how large its workspace is on the device", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::No);
  CHECK(kernel.workspaceBytes(kernel.abi().arguments.back(), {{"M", 64}, {"K", 256}}) == 300);
}

TEST_CASE("a prepared launch keeps its workspace and zeroes it before each launch", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::EachLaunch, 4096);
  {
    PreparedLaunch prepared = kernel.prepare(exampleArguments());
    CHECK((fakeState().allocations.size() == 1 && fakeState().streamOrdered == 0));
    for (size_t i = 0; i < 2; ++i) {
      prepared.launch();
      REQUIRE(workspaceOf(i) % 4096 == 0);
      CHECK((workspaceOf(i) == workspaceOf(0) && isZero(workspaceOf(i))));
      std::memset(reinterpret_cast<void *>(workspaceOf(i)), 0xA5, 300);
    }
  }
  CHECK(fakeState().allocations.empty());
}

TEST_CASE("zeroed once is before the first launch, and not again", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::Once);
  PreparedLaunch prepared = kernel.prepare(exampleArguments());
  prepared.launch();
  CHECK(isZero(workspaceOf(0)));
  std::memset(reinterpret_cast<void *>(workspaceOf(0)), 0xA5, 300);
  prepared.launch();
  CHECK(!isZero(workspaceOf(1)));
}

TEST_CASE("a captured launch zeroes its workspace at every replay", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::EachLaunch);
  Stream stream(kernel.module().device());
  PreparedLaunch prepared = kernel.prepare(exampleArguments());
  Graph graph = Graph::capture(stream, [&] { prepared.launch(stream); });
  CHECK(fakeState().launches.empty());
  for (size_t i = 0; i < 2; ++i) {
    graph.launch(stream);
    CHECK(isZero(workspaceOf(i)));
    std::memset(reinterpret_cast<void *>(workspaceOf(i)), 0xA5, 300);
  }
}

TEST_CASE("a given workspace is used, and zeroed as the ABI says", "[kernel][workspace]") {
  Kernel kernel = kernelWithWorkspace(WorkspaceZeroing::EachLaunch);
  Buffer buffer(kernel.module().device(), 320);
  buffer.fill(0xA5);
  Arguments arguments = exampleArguments();
  arguments.push_back({"w", buffer.view("u8", {320})});
  kernel.launch(arguments);
  CHECK((workspaceOf(0) == buffer.address() && isZero(buffer.address()) && fakeState().streamOrdered == 0));
  CHECK(reinterpret_cast<const uint8_t *>(buffer.address())[300] == 0xA5); // and no more than that
}

TEST_CASE("tensor maps over a workspace are encoded with its address", "[kernel][workspace]") {
  KernelAbi abi = exampleKernel();
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "65536";
  abi.arguments.push_back(workspace);
  TensorMapRecipe map{"w", "1024", TensorMapType::F32, {"64", "16"}, {"256"}, {32, 16}, {1, 1}};
  abi.variants[0].parameters = {{AbiParameter::Kind::TensorMap, "w", map},
                                {AbiParameter::Kind::Pointer, "w", {}}};
  Kernel kernel = loaded(abi);
  fakeState().parameterSizes = {128, 8};
  PreparedLaunch prepared = kernel.prepare(exampleArguments());
  prepared.launch();
  CHECK(fakeState().tensorMaps[0].address == word(onlyLaunch().parameters[1]) + 1024);
  CHECK(fakeState().allocations.size() == 1);
}

TEST_CASE("scalars reach the driver by value, in their type's size", "[kernel]") {
  KernelAbi abi = exampleKernel();
  for (const char *type : {"f32", "i32", "i64"}) {
    AbiArgument scalar{type, type};
    scalar.kind = ArgumentKind::Scalar;
    abi.arguments.push_back(scalar);
    abi.variants[0].parameters.push_back({AbiParameter::Kind::Scalar, type, {}});
  }
  Kernel kernel = loaded(abi);
  fakeState().parameterSizes = {8, 8, 8, 8, 8, 8, 4, 4, 8};
  Arguments arguments = exampleArguments();
  arguments.insert(arguments.end(), {{"f32", 1.5f}, {"i32", -2}, {"i64", int64_t(1) << 40}});
  kernel.launch(arguments);
  const auto &parameters = onlyLaunch().parameters;
  CHECK(parameters[6] == std::vector<uint8_t>{0, 0, 0xC0, 0x3F});
  CHECK(parameters[7] == std::vector<uint8_t>{0xFE, 0xFF, 0xFF, 0xFF});
  CHECK(word(parameters[8]) == uint64_t(1) << 40);
  arguments.pop_back();
  CHECK_THAT(invalidInput([&] { kernel.launch(arguments); }), Contains("argument 'i64' is missing"));
}

TEST_CASE("a grid follows the device's multiprocessors", "[kernel]") {
  Kernel kernel = kernelWith([](AbiVariant &variant) { variant.grid[0] = "min(M * K, 2 * SMs)"; });
  kernel.launch(exampleArguments());
  CHECK(onlyLaunch().config.gridDimX == 264);
}
