#include "runtime/LaunchPlan.h"
#include "tests/unit/runtime/ExampleKernel.h"
#include "tests/unit/runtime/Failure.h"

#include <cstring>

using namespace mxc;
using Catch::Contains;

static uint64_t word(const LaunchPlan &plan, size_t parameter) {
  uint64_t value;
  std::memcpy(&value, &plan.parameterBytes[plan.parameterOffsets[parameter]], sizeof value);
  return value;
}

TEST_CASE("a plan holds grid, block, shared memory and the parameters in order", "[plan]") {
  KernelAbi kernel = exampleKernel();
  Arguments arguments = exampleArguments(64, 1024);
  arguments[0].view.strides = {2048, 1};
  LaunchPlan plan = planLaunch(kernel, arguments);
  CHECK(plan.variant == &kernel.variants[0]);
  CHECK(plan.grid == std::array<uint32_t, 3>{4, 64, 1});
  CHECK(plan.block == std::array<uint32_t, 3>{128, 1, 1});
  CHECK(plan.cluster == std::array<uint32_t, 3>{1, 1, 1});
  CHECK((plan.sharedBytes == 1024 && !plan.isEmpty()));
  REQUIRE(plan.parameterOffsets.size() == 6);
  CHECK(plan.parameterBytes.size() == 48);
  CHECK(word(plan, 0) == 0x10000000);
  CHECK(word(plan, 1) == 2048);
  CHECK(word(plan, 2) == 0x20000000);
  CHECK(word(plan, 3) == 0x30000000);
  CHECK(word(plan, 4) == 64);
  CHECK(word(plan, 5) == 1024);
}

TEST_CASE("the first variant whose condition and alignments hold is chosen", "[plan]") {
  KernelAbi kernel = exampleKernel();
  CHECK(planLaunch(kernel, exampleArguments()).variant->entry == "quantize_wide");
  CHECK(planLaunch(kernel, exampleArguments(64, 250)).variant->entry == "quantize_plain");
  Arguments odd = exampleArguments();
  odd[0].view.address += 8;
  CHECK(planLaunch(kernel, odd).variant->entry == "quantize_plain");
  Arguments strided = exampleArguments();
  strided[0].view.strides = {260, 1}; // 520 bytes
  CHECK(planLaunch(kernel, strided).variant->entry == "quantize_plain");
  strided = exampleArguments(1, 256);
  strided[0].view.strides = {260, 1}; // of one row it does not count
  CHECK(planLaunch(kernel, strided).variant->entry == "quantize_wide");
}

TEST_CASE("where no variant fits, each one's reason is given", "[plan]") {
  KernelAbi kernel = exampleKernel();
  kernel.variants[1].alignments = {{"x", 4}};
  Arguments arguments = exampleArguments(64, 251);
  CHECK(invalidInput([&] { planLaunch(kernel, arguments); }) ==
        "kernel 'quantize': no variant takes this call:"
        "\n  quantize_wide: needs K % 32 == 0, but K = 251, M = 64"
        "\n  quantize_plain: row stride of 'x', 502 bytes, is not a multiple of 4 bytes");
  arguments = exampleArguments(64, 252);
  arguments[0].view.address += 2;
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, arguments); }),
             Contains("quantize_plain: address of 'x' (remainder 2) is not a multiple of 4 bytes"));
  kernel.variants.clear();
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, arguments); }), Contains("the ABI holds none"));
}

TEST_CASE("a grid of zero is a plan with nothing to launch", "[plan]") {
  CHECK(planLaunch(exampleKernel(), exampleArguments(0, 256)).isEmpty());
  CHECK(planLaunch(exampleKernel(), exampleArguments(64, 0)).isEmpty());
}

TEST_CASE("grids are held against CUDA's limits", "[plan]") {
  KernelAbi kernel = exampleKernel();
  auto grid = [&](const char *x, const char *y, const char *z) {
    const char *texts[] = {x, y, z};
    for (AbiVariant &variant : kernel.variants)
      for (int i = 0; i < 3; ++i)
        variant.grid[i] = texts[i];
    return planLaunch(kernel, exampleArguments()).grid;
  };
  CHECK(grid("2147483647", "65535", "65535") == std::array<uint32_t, 3>{2147483647, 65535, 65535});
  CHECK(grid("", "", "") == std::array<uint32_t, 3>{1, 1, 1});
  CHECK_THAT(invalidInput([&] { grid("2147483648", "1", "1"); }),
             Contains("grid x: expected 0 to 2147483647, found 2147483648"));
  CHECK_THAT(invalidInput([&] { grid("1", "1024 * M", "1"); }),
             Contains("grid y: expected 0 to 65535, found 65536 (1024 * M)"));
  CHECK_THAT(invalidInput([&] { grid("1", "1", "65536"); }), Contains("grid z"));
  CHECK_THAT(invalidInput([&] { grid("1 - M", "1", "1"); }), Contains("found -63"));
  CHECK_THAT(invalidInput([&] { grid("M / (K - 256)", "1", "1"); }), Contains("kernel 'quantize': grid x: "));
}

TEST_CASE("a grid is a multiple of its cluster", "[plan]") {
  KernelAbi kernel = exampleKernel();
  kernel.variants[0].cluster[1] = 2;
  CHECK(planLaunch(kernel, exampleArguments(64)).cluster[1] == 2);
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, exampleArguments(63)); }),
             Contains("grid y: expected a multiple of the cluster's 2, found 63"));
}

TEST_CASE("tensor maps lie at multiples of 64 and ask for what the recipe says", "[plan]") {
  KernelAbi kernel = exampleKernel();
  AbiParameter map{AbiParameter::Kind::TensorMap, "x", {"x", {64, 128}, 128}};
  kernel.variants[0].parameters.insert(kernel.variants[0].parameters.begin() + 1, map);
  LaunchPlan plan = planLaunch(kernel, exampleArguments());
  CHECK(plan.parameterOffsets == std::vector<size_t>{0, 64, 192, 200, 208, 216, 224});
  CHECK(plan.parameterBytes.size() == 232);
  REQUIRE(plan.tensorMaps.size() == 1);
  const TensorMapRequest &request = plan.tensorMaps[0];
  CHECK((request.parameterOffset == 64 && request.argument == "x" && request.type == "bf16"));
  CHECK((request.address == 0x10000000 && request.columns == 256 && request.rows == 64));
  CHECK((request.rowStrideBytes == 512 && request.box == std::array<uint32_t, 2>{64, 128} &&
         request.swizzleBytes == 128));
}

TEST_CASE("a single row's stride in a tensor map is rounded up to what the driver wants", "[plan]") {
  KernelAbi kernel = exampleKernel();
  kernel.variants[1].parameters.push_back({AbiParameter::Kind::TensorMap, "x", {"x", {64, 1}, 0}});
  CHECK(planLaunch(kernel, exampleArguments(1, 251)).tensorMaps[0].rowStrideBytes == 512);
}

TEST_CASE("an ABI that refers to what is not there is damaged", "[plan]") {
  using Kind = AbiParameter::Kind;
  auto refusal = [](const AbiParameter &parameter) {
    KernelAbi kernel = exampleKernel();
    kernel.variants[0].parameters.push_back(parameter);
    return invalidInput([&] { planLaunch(kernel, exampleArguments()); });
  };
  CHECK_THAT(refusal({Kind::Pointer, "y", {}}), Contains("damaged ABI") && Contains("argument 'y'"));
  CHECK_THAT(refusal({Kind::Dimension, "N", {}}), Contains("damaged ABI") && Contains("dimension 'N'"));
  CHECK_THAT(refusal({Kind::TensorMap, "x", {"x", {64}, 0}}), Contains("expected a box of 2 sizes, found 1"));
  CHECK_THAT(refusal({Kind::TensorMap, "s", {"s", {64, 1}, 0}}), Contains("tiles and not a matrix"));
  KernelAbi kernel = exampleKernel();
  kernel.variants[0].block[2] = 0;
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, exampleArguments()); }), Contains("size 0"));
}

TEST_CASE("a plan refuses what the checks of shapes and arguments refuse", "[plan]") {
  Arguments arguments = exampleArguments();
  arguments[0].view.type = "f32";
  CHECK_THAT(invalidInput([&] { planLaunch(exampleKernel(), arguments); }),
             Contains("expected bf16, found f32"));
  CHECK_THAT(invalidInput([&] { planLaunch(exampleKernel(), exampleArguments(), {{"M", 3}}); }),
             Contains("dimension M"));
}
