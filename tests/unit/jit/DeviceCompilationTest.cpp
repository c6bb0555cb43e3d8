#include "runtime/jit/DeviceCompilation.h"
#include "chips/Chip.h"
#include "runtime/launch/LaunchPlan.h"
#include "runtime/launch/Module.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

using namespace mxc;
using Catch::Contains;

static const char *const kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

TEST_CASE("the target is the most specific one that the device takes and the compiler knows", "[jit]") {
  CHECK(targetFor(fakeDevice(9, 0)) == "sm_90a");
  CHECK(targetFor(fakeDevice(10, 3)) == "sm_103a");
  for (const Chip &chip : allChips())
    if (chip.isSimulated()) CHECK(targetFor(openDevice("simulator:" + std::string(chip.name))) == chip.name);
  CHECK_THAT(failure(ErrorKind::Device, [] { targetFor(fakeDevice(7, 5)); }),
             Contains("cuda:0 is Fake GPU, which takes sm_75a, sm_75") &&
                 Contains("mxc compiles for none of these"));
}

TEST_CASE("a simulator gets PTX of its chip", "[jit]") {
  Device device = openDevice("simulator:sm_100a");
  std::string image = compileFor(device, kSource, "k.mlir").output;
  CHECK(imageFormat(std::as_bytes(std::span(image))) == ImageFormat::Ptx);
  CHECK(image.find(".target sm_100a") != std::string::npos);
  CHECK(Module::fromImage(device, std::as_bytes(std::span(image))).abi().target == "sm_100a");
}

/// What `compile` is asked for, one after the other, on a machine with and without a CUDA toolkit.
static std::vector<Stage> stagesAsked(bool hasToolkit) {
  std::vector<Stage> stages;
  CompileOptions given;
  given.tile = "warps = 4";
  given.stage = Stage::Mlir;
  compileFor(fakeDevice(9, 0), given, [&](const CompileOptions &options) {
    CHECK(options.targets == std::vector<std::string>{"sm_90a"});
    CHECK(options.tile == "warps = 4");
    stages.push_back(options.stage);
    if (options.stage == Stage::Cubin && !hasToolkit) throw Error(ErrorKind::Device, "no toolkit");
    return CompileResult();
  });
  return stages;
}

TEST_CASE("a GPU gets a cubin, without a toolkit PTX that its driver finishes", "[jit]") {
  CHECK(stagesAsked(true) == std::vector{Stage::Cubin});
  CHECK(stagesAsked(false) == std::vector{Stage::Cubin, Stage::Ptx});
}

TEST_CASE("what the source is at fault of is not tried again as PTX", "[jit]") {
  int calls = 0;
  CHECK(invalidInput([&] {
          compileFor(fakeDevice(9, 0), {}, [&](const CompileOptions &) -> CompileResult {
            ++calls;
            throw Error(ErrorKind::InvalidInput, "bad");
          });
        }) == "bad");
  CHECK(calls == 1);
  CHECK_THAT(invalidInput([] { compileFor(fakeDevice(9, 0), "mx.kernel @k(", "k.mlir"); }),
             Contains("k.mlir:1:"));
}

TEST_CASE("untuned tiles of one target follow the device's memory", "[jit]") {
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.stage = Stage::Tile;
  const KernelAbi kernel = compile(kSource, "k.mlir", options).abis.front().kernels.front();
  auto tileOn = [&](int64_t gigabytesPerSecond, int64_t m) {
    const Arguments arguments = {{"x", {0x10000000, "bf16", {m, 8192}, {}}},
                                 {"q", {0x40000000, "e4m3", {m, 8192}, {}}},
                                 {"s", {0x70000000, "ue8m0", {m, 256}, {}}}};
    const Dimensions facts = {{"SMs", 132}, {"GBs", gigabytesPerSecond}};
    return planLaunch(kernel, arguments, {.dimensions = {}, .deviceFacts = &facts}).variant->tile;
  };
  constexpr int64_t kH100 = 3352, kH200 = 4917; // as their clocks and widths say
  CHECK_THAT(tileOn(kH100, 8192), Contains("warps = 8, rows_per_warp = 1, lane_elements = 8"));
  CHECK_THAT(tileOn(kH200, 8192), Contains("warps = 16, rows_per_warp = 4"));
  CHECK(tileOn(kH100, 64) == tileOn(kH200, 64));
}
