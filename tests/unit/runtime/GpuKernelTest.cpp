// Real launches: PTX text that stands for what mxc emits.
#include "runtime/device/Buffer.h"
#include "runtime/device/Graph.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "runtime/launch/TensorMap.h"
#include "tests/unit/runtime/Conformance.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"

#include <algorithm>
#include <chrono>
#include <iostream>

using namespace mxc;
using Catch::Contains;

/// y[i] = x[i] + 1 for n 32-bit integers, 128 a block.
static const char *const kAddOne = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u64 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %a<7>;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  ld.param.u64 %a3, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 128, %r2;
  cvt.u64.u32 %a4, %r3;
  setp.ge.u64 %p, %a4, %a3;
  @%p ret;
  shl.b64 %a5, %a4, 2;
  add.u64 %a6, %a1, %a5;
  ld.global.u32 %r4, [%a6];
  add.u32 %r4, %r4, 1;
  add.u64 %a6, %a2, %a5;
  st.global.u32 [%a6], %r4;
  ret;
}
)";

static Module addOne() {
  using Kind = AbiParameter::Kind;
  KernelAbi kernel;
  kernel.name = "add_one";
  kernel.operation.name = "quantize";
  kernel.arguments = {{"x", "f32", false, ArgumentLayout::RowMajor, {"1", "N"}, {}, 4},
                      {"y", "f32", true, ArgumentLayout::RowMajor, {"1", "N"}, {}, 4}};
  kernel.dimensions = {"N"};
  AbiVariant variant;
  variant.entry = "add_one";
  variant.grid[0] = "ceildiv(N, 128)";
  variant.grid[1] = variant.grid[2] = "1";
  variant.block[0] = 128;
  variant.parameters = {{Kind::Pointer, "x", {}}, {Kind::Pointer, "y", {}}, {Kind::Dimension, "N", {}}};
  kernel.variants = {variant};
  ModuleAbi abi;
  abi.target = "sm_90";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {kernel};
  return Module::fromImage(conformanceDevice(), bytesOf(kAddOne + ptxRecord(abiRecord(abi))));
}

TEST_CASE("a kernel runs on the GPU, prepared, in a graph's order, with PDL", "[gpu]") {
  Kernel kernel = addOne().kernel();
  const Device &device = kernel.module().device();
  constexpr int64_t n = 1000;
  Buffer x(device, n * 4), y(device, n * 4);
  std::vector<int32_t> host(n);
  for (int32_t i = 0; i < n; ++i)
    host[static_cast<size_t>(i)] = i;
  x.upload(std::as_bytes(std::span(host)));
  y.fill(0);
  Arguments forth{{"x", x.view("f32", {1, n})}, {"y", y.view("f32", {1, n})}};
  Arguments back{{"x", y.view("f32", {1, n})}, {"y", x.view("f32", {1, n})}};
  Stream stream(device);
  PreparedLaunch first = kernel.prepare(forth), second = kernel.prepare(back, {.pdl = true});
  for (int i = 0; i < 10; ++i) {
    first.launch(stream);
    second.launch(stream);
  }
  kernel.launch(forth, {.stream = stream});
  stream.synchronize();
  y.download(std::as_writable_bytes(std::span(host)));
  for (int32_t i = 0; i < n; ++i)
    REQUIRE(host[static_cast<size_t>(i)] == i + 21);
}

/// y[0] = w[0]++ + scale, by one thread.
static const char *const kCount = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 w, .param .u64 y, .param .f32 scale, .param .u64 n) {
  .reg .b32 %r<4>;
  .reg .f32 %f<3>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [w];
  ld.param.u64 %a2, [y];
  ld.param.f32 %f1, [scale];
  atom.global.add.u32 %r1, [%a1], 1;
  cvt.rn.f32.u32 %f2, %r1;
  add.f32 %f2, %f2, %f1;
  st.global.f32 [%a2], %f2;
  ret;
}
)";

TEST_CASE("workspaces and scalars on the GPU: one-shot, prepared, captured", "[gpu]") {
  using Kind = AbiParameter::Kind;
  KernelAbi abi;
  abi.name = abi.operation.name = "count";
  abi.dimensions = {"N"};
  abi.arguments = {{"y", "f32", true, ArgumentLayout::RowMajor, {"N"}, {}, 4}, {"scale", "f32"}, {"w", "u8"}};
  abi.arguments[1].kind = ArgumentKind::Scalar;
  abi.arguments[2].kind = ArgumentKind::Workspace;
  abi.arguments[2].bytes = "1024 * SMs", abi.arguments[2].alignment = 4096;
  abi.arguments[2].zeroing = WorkspaceZeroing::EachLaunch;
  AbiVariant variant;
  variant.entry = "count";
  variant.grid[0] = "min(N, SMs)";
  variant.parameters = {{Kind::Pointer, "w", {}},
                        {Kind::Pointer, "y", {}},
                        {Kind::Scalar, "scale", {}},
                        {Kind::Dimension, "N", {}}};
  abi.variants = {variant};
  const ModuleAbi record{"0.1.0", 1, "sm_90", {abi}};
  Device device = conformanceDevice();
  Kernel kernel = Module::fromImage(device, bytesOf(kCount + ptxRecord(abiRecord(record)))).kernel();

  Buffer y(device, 4);
  Stream stream(device);
  const Arguments arguments = {{"y", y.view("f32", {1})}, {"scale", 0.5f}};
  float result = 0;
  const auto launched = [&](auto &&launch) {
    y.fill(0xFF);
    launch();
    stream.synchronize();
    y.download(std::as_writable_bytes(std::span(&result, 1)));
    return result;
  };
  for (int i = 0; i < 3; ++i)
    CHECK(launched([&] { kernel.launch(arguments, {.stream = stream}); }) == 0.5f);
  PreparedLaunch prepared = kernel.prepare(arguments);
  for (int i = 0; i < 3; ++i)
    CHECK(launched([&] { prepared.launch(stream); }) == 0.5f);
  Graph graph = Graph::capture(stream, [&] { prepared.launch(stream); });
  Graph allocating = Graph::capture(stream, [&] { kernel.launch(arguments, {.stream = stream}); });
  for (int i = 0; i < 3; ++i) {
    CHECK(launched([&] { graph.launch(stream); }) == 0.5f);
    CHECK(launched([&] { allocating.launch(stream); }) == 0.5f);
  }
}

TEST_CASE("PTX that does not assemble is the input's fault, with the assembler's log", "[gpu]") {
  std::string broken = kAddOne;
  broken.replace(broken.find("add.u32"), 7, "frob.u3");
  std::string image = broken + ptxRecord(recordOf("sm_90", 1));
  Device device = conformanceDevice();
  CHECK_THAT(failure(ErrorKind::InvalidInput, [&] { Module::fromImage(device, bytesOf(image), "broken"); }),
             Contains("cannot load broken") && Contains("line "));
}

TEST_CASE("an entry that is not in the image is a device error", "[gpu]") {
  Module module = Module::fromImage(conformanceDevice(), bytesOf(kAddOne + ptxRecord(recordOf("sm_90", 1))));
  const Device &device = module.device();
  Buffer x(device, 64 * 256 * 2), q(device, 64 * 256), s(device, 1024);
  CHECK_THAT(failure(ErrorKind::Device,
                     [&] {
                       module.kernel().launch({{"x", x.view("bf16", {64, 256})},
                                               {"q", q.view("e4m3", {64, 256})},
                                               {"s", s.view("ue8m0", {1024})}});
                     }),
             Contains("cannot find entry quantize_wide"));
}

TEST_CASE("the driver encodes tensor maps, and says no to what no map can hold", "[gpu]") {
  Device device = conformanceDevice();
  Buffer buffer(device, 64 * 512);
  std::byte map[sizeof(CUtensorMap)] = {};
  TensorMapRequest request{0,     "x",      buffer.address(), TensorMapType::BF16,   2, {256, 64},
                           {512}, {64, 32}, {1, 1},           TensorMapSwizzle::B128};
  encodeTensorMap(device, request, map);
  CHECK(std::any_of(std::begin(map), std::end(map), [](std::byte b) { return b != std::byte{}; }));
  request.swizzle = TensorMapSwizzle::None;
  request.box = {32, 64};
  for (TensorMapType type : {TensorMapType::F16, TensorMapType::F32, TensorMapType::U8}) {
    request.type = type;
    CHECK_NOTHROW(encodeTensorMap(device, request, map));
  }
  request.box = {64, 257}; // at most 256
  CHECK_THAT(failure(ErrorKind::Device, [&] { encodeTensorMap(device, request, map); }),
             Contains("cannot encode the tensor map of 'x'") && Contains("box 64 x 257"));
  request.box = {64, 32};
  request.strides[0] = 520; // not a multiple of 16
  CHECK_THAT(failure(ErrorKind::Device, [&] { encodeTensorMap(device, request, map); }),
             Contains("strides 520 bytes"));
}

TEST_CASE("a prepared launch costs at most 2 us more than the bare call", "[gpu]") {
  Kernel kernel = addOne().kernel();
  const Device &device = kernel.module().device();
  Buffer x(device, 4), y(device, 4);
  x.fill(0);
  Stream stream(device);
  PreparedLaunch prepared = kernel.prepare({{"x", x.view("f32", {1, 1})}, {"y", y.view("f32", {1, 1})}});

  ContextScope scope(device);
  const Driver &driver = device.driver();
  CUmodule module;
  CUfunction function;
  REQUIRE(driver.cuModuleLoadDataEx(&module, kAddOne, 0, nullptr, nullptr) == CUDA_SUCCESS);
  REQUIRE(driver.cuModuleGetFunction(&function, module, "add_one") == CUDA_SUCCESS);
  uint64_t in = x.address(), out = y.address(), n = 1;
  void *parameters[] = {&in, &out, &n};
  CUlaunchConfig config{1, 1, 1, 128, 1, 1, 0, stream.handle(), nullptr, 0};
  auto microsEach = [&](auto &&launch) { // the best of some rounds short enough not to fill the queue
    double best = 1e9;
    for (int round = 0; round < 50; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 100; ++i)
        launch();
      std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
      best = std::min(best, passed.count() / 100);
      stream.synchronize();
    }
    return best;
  };
  double bare = microsEach([&] { driver.cuLaunchKernelEx(&config, function, parameters, nullptr); });
  double ours = microsEach([&] { prepared.launch(stream); });
  double oneShot = microsEach([&] {
    kernel.launch({{"x", x.view("f32", {1, 1})}, {"y", y.view("f32", {1, 1})}}, {.stream = stream});
  });
  std::cout << "launch: bare " << bare << " us, prepared " << ours << " us, one-shot " << oneShot << " us\n";
  CHECK(ours <= bare + 2);
  driver.cuModuleUnload(module);
}
