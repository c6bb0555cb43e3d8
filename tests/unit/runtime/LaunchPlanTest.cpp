#include "runtime/launch/LaunchPlan.h"
#include "tests/unit/abi/MatmulSample.h"
#include "tests/unit/runtime/ExampleKernel.h"
#include "tests/unit/runtime/Failure.h"

#include <cstring>

using namespace mxc;
using Catch::Contains;

static const Dimensions k148Multiprocessors = {{"SMs", 148}}, k7Multiprocessors = {{"SMs", 7}},
                        kOneMultiprocessor = {{"SMs", 1}};

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
  AbiParameter map{AbiParameter::Kind::TensorMap, "x", exampleMap("x", 64, 128)};
  map.tensorMap.swizzle = TensorMapSwizzle::B128;
  kernel.variants[0].parameters.insert(kernel.variants[0].parameters.begin() + 1, map);
  LaunchPlan plan = planLaunch(kernel, exampleArguments());
  CHECK(plan.parameterOffsets == std::vector<size_t>{0, 64, 192, 200, 208, 216, 224});
  CHECK(plan.parameterBytes.size() == 232);
  REQUIRE(plan.tensorMaps.size() == 1);
  const TensorMapRequest &request = plan.tensorMaps[0];
  CHECK((request.parameterOffset == 64 && request.argument == "x" && request.type == TensorMapType::BF16));
  CHECK((request.address == 0x10000000 && request.rank == 2 && request.sizes[0] == 256 &&
         request.sizes[1] == 64));
  CHECK((request.strides[0] == 512 && request.box[0] == 64 && request.box[1] == 128 &&
         request.swizzle == TensorMapSwizzle::B128));
  CHECK(plan.dimensions == Dimensions{{"M", 64}, {"K", 256}}); // without the names that the recipe knew
}

TEST_CASE("a recipe's expressions see what the strides are, and what they are of a single row", "[plan]") {
  KernelAbi kernel = exampleKernel();
  kernel.variants[1].parameters.push_back({AbiParameter::Kind::TensorMap, "x", exampleMap("x", 64, 1)});
  CHECK(planLaunch(kernel, exampleArguments(1, 251)).tensorMaps[0].strides[0] == 512);
  Arguments strided = exampleArguments(64, 251);
  strided[0].view.strides = {1000, 1};
  CHECK(planLaunch(kernel, strided).tensorMaps[0].strides[0] == 2000);
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
  TensorMapRecipe map = exampleMap("x", 64, 1);
  map.box = {64};
  CHECK_THAT(refusal({Kind::TensorMap, "x", map}), Contains("expected 1 to 5 dimensions, each with a box"));
  map = exampleMap("x", 64, 1);
  map.sizes[1] = "M - 65";
  CHECK_THAT(refusal({Kind::TensorMap, "x", map}), Contains("tensor map of 'x': M - 65 is negative: -1"));
  CHECK_THAT(refusal({Kind::Stride, "x", {}, 2}), Contains("argument 'x' is not of the kind"));
  CHECK_THAT(refusal({Kind::Scalar, "x", {}}), Contains("argument 'x' is not of the kind"));
  KernelAbi kernel = exampleKernel();
  kernel.variants[0].block[2] = 0;
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, exampleArguments()); }), Contains("size 0"));
}

TEST_CASE("a plan refuses what the checks of shapes and arguments refuse", "[plan]") {
  Arguments arguments = exampleArguments();
  arguments[0].view.type = "f32";
  CHECK_THAT(invalidInput([&] { planLaunch(exampleKernel(), arguments); }),
             Contains("expected bf16, found f32"));
  CHECK_THAT(
      invalidInput([&] { planLaunch(exampleKernel(), exampleArguments(), {.dimensions = {{"M", 3}}}); }),
      Contains("dimension M"));
}

/// B = 3 products of 256 x 320 x 96, b's rows 128 apart.
static Arguments matmulArguments() {
  return {{"a", {0x10000000, "e4m3", {3, 256, 96}, {}}},
          {"b", {0x20000000, "e4m3", {3, 320, 96}, {320 * 128, 128, 1}}},
          {"sa", {0x30000000, "u8", {3 * 2 * 512}, {}}},
          {"sb", {0x40000000, "u8", {3 * 3 * 512}, {}}},
          {"alpha", 0.5f},
          {"bias", {0x50000000, "f32", {320}, {}}},
          {"y", {0x60000000, "bf16", {3, 256, 320}, {}}}};
}

TEST_CASE("a matrix product: batches, scalars, a workspace, maps of ranks 2 to 4, a persistent grid",
          "[plan]") {
  const KernelAbi kernel = test::matmulAbi();
  LaunchPlan plan =
      planLaunch(kernel, matmulArguments(), {.dimensions = {}, .deviceFacts = &k148Multiprocessors});
  CHECK(plan.variant->entry == "matmul");
  CHECK(plan.dimensions == Dimensions{{"B", 3}, {"M", 256}, {"N", 320}, {"K", 96}});
  CHECK(plan.grid == std::array<uint32_t, 3>{12, 1, 1}); // 3 x 1 x 2 tiles of two CTAs
  CHECK(plan.cluster[0] == 2);
  REQUIRE(plan.tensorMaps.size() == 5);
  const TensorMapRequest &b = plan.tensorMaps[1], &sb = plan.tensorMaps[3], &y = plan.tensorMaps[4];
  CHECK((b.rank == 3 && b.sizes == std::array<uint64_t, 5>{96, 320, 3} &&
         b.strides == std::array<uint64_t, 4>{128, 320 * 128}));
  CHECK((sb.rank == 2 && sb.sizes == std::array<uint64_t, 5>{256, 9} && sb.strides[0] == 512 &&
         sb.box[1] == 2));
  CHECK((y.rank == 4 && y.sizes == std::array<uint64_t, 5>{64, 5, 256, 3} &&
         y.strides == std::array<uint64_t, 4>{128, 640, 640 * 256} &&
         y.promotion == TensorMapPromotion::None));
  const size_t alpha = plan.parameterOffsets[5];
  CHECK(alpha == 640);
  CHECK(plan.parameterBytes[alpha + 3] == std::byte{0x3F}); // 0.5f
  CHECK(plan.parameterOffsets[6] == 648);                   // after 4 bytes of padding
  REQUIRE(plan.workspaces.size() == 1);
  CHECK((plan.workspaces[0].bytes == 592 && plan.workspaces[0].address == 0));
  CHECK(word(plan, 7) == 0);
  plan.provideWorkspace(0, 0x70000000);
  CHECK(word(plan, 7) == 0x70000000);
  // A smaller device holds fewer clusters, and one of a single multiprocessor none.
  CHECK(
      planLaunch(kernel, matmulArguments(), {.dimensions = {}, .deviceFacts = &k7Multiprocessors}).grid[0] ==
      6);
  plan = planLaunch(kernel, matmulArguments(), {.dimensions = {}, .deviceFacts = &kOneMultiprocessor});
  CHECK((plan.variant->entry == "matmul$1" && plan.workspaces.empty()));
  CHECK((word(plan, 2) == 320 * 128 && word(plan, 3) == 128));
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, matmulArguments()); }),
             Contains("unknown dimension 'SMs'"));
}

TEST_CASE("strides of every dimension but the innermost are held against a variant's alignment", "[plan]") {
  Arguments arguments = matmulArguments();
  const auto entry = [&] {
    return planLaunch(test::matmulAbi(), arguments, {.dimensions = {}, .deviceFacts = &k148Multiprocessors})
        .variant->entry;
  };
  CHECK(entry() == "matmul");
  arguments[1].view.strides[0] += 8; // batches of b
  CHECK(entry() == "matmul$1");
}

TEST_CASE("a variant can be forced, where it takes the call", "[plan]") {
  KernelAbi kernel = exampleKernel();
  CHECK(planLaunch(kernel, exampleArguments(), {.variant = 1}).variant == &kernel.variants[1]);
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, exampleArguments(64, 250), {.variant = 0}); }),
             Contains("quantize_wide: needs K % 32 == 0"));
  CHECK_THAT(invalidInput([&] { planLaunch(kernel, exampleArguments(), {.variant = 2}); }),
             Contains("has no variant 2; it has 2, counted from 0"));
}

TEST_CASE("a given workspace must be there, large enough and aligned", "[plan]") {
  Arguments arguments = matmulArguments();
  arguments.push_back({"counters", {0x70000000, "i32", {148}, {}}});
  const auto plan = [&] {
    return planLaunch(test::matmulAbi(), arguments, {.dimensions = {}, .deviceFacts = &k148Multiprocessors});
  };
  CHECK(word(plan(), 7) == 0x70000000);
  arguments.back().view.shape = {147};
  CHECK_THAT(invalidInput(plan),
             Contains("workspace 'counters': expected at least 592 bytes (4 * SMs), found 588"));
  arguments.back().view = {0x70000008, "i32", {148}, {}};
  CHECK_THAT(invalidInput(plan),
             Contains("expected an address that is a multiple of 16 bytes, found one with the remainder 8"));
  arguments.back().view.address = 0;
  CHECK_THAT(invalidInput(plan), Contains("workspace 'counters': null address for 592 bytes; left out,"));
}
