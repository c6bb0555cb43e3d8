// mx.dequantize over every code and scale byte, and the copies between scale layouts.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"
#include "tests/unit/compiler/TileText.h"

#include <catch2/catch.hpp>

using namespace mxc;

// Multiples of every lane_elements, so that the forced tile is launched; then shapes for the general one.
static const Shape kWhole[] = {{1, 32}, {128, 4096}, {1000, 7168}, {300, 96}, {0, 64}, {64, 0}};
static const Shape kOdd[] = {{1, 1}, {127, 33}, {129, 2056}};

static std::string checkDequantize(const Kernel &kernel, Shape shape,
                                   GuardedArguments::Placements placements = {},
                                   const std::string &expectedTile = {}) {
  ScaleLayout layout = scaleLayoutOf(argumentOf(kernel.abi(), "s"));
  std::vector<std::byte> codes = randomBytes(static_cast<size_t>(shape.rows * shape.columns), 1);
  std::vector<std::byte> scales =
      randomBytes(static_cast<size_t>(scaleCount(layout, shape.rows, (shape.columns + 31) / 32)), 2);
  RunCase run;
  run.inputs = {{"q", codes}, {"s", scales}};
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : text(shape) + " <" + outcome.tile + ">\n" + outcome.failure;
}

static std::string moduleText(const std::string &strides = {}) {
  std::string module;
  for (const char *output : {"bf16", "f16", "f32"})
    for (const char *element : {"f8E4M3FN", "f8E5M2"})
      for (const char *layout : {"dense", "tcgen05"})
        module += DequantizeText{element, layout, output, strides,
                                 std::string("to_") + output + "_" + element + "_" + layout}
                      .text();
  return module;
}

TEST_CASE("dequantize: elements x layouts x output types x tiles x shapes") {
  const char *const tiles[] = {"", "rows_per_warp = 1", "lane_elements = 16",
                               "lane_elements = 4, order = rows", "rows_per_warp = 4, access = element"};
  std::vector<std::future<Module>> modules;
  for (const char *tile : tiles)
    modules.push_back(compileInBackground(moduleText(), tile));
  for (size_t i = 0; i < std::size(tiles); ++i) {
    Module module = modules[i].get();
    std::string expected = *tiles[i] ? wholeTile(tiles[i]) : "";
    for (const KernelAbi &abi : module.abi().kernels) {
      Kernel kernel = module.kernel(abi.name);
      for (Shape shape : affordable(kWhole))
        CHECK(checkDequantize(kernel, shape, {}, expected) == "");
      for (Shape shape : kOdd)
        CHECK(checkDequantize(kernel, shape) == "");
    }
  }
}

TEST_CASE("dequantize: strided rows and odd addresses", "[small][simulated][family]") {
  Module module = compileForDevice(moduleText("?"));
  for (const KernelAbi &abi : module.abi().kernels) {
    Kernel kernel = module.kernel(abi.name);
    CHECK(checkDequantize(kernel, {129, 2048}, {{"q", {2064, 0}}, {"y", {2056, 0}}}, "access = vector") ==
          "");
    CHECK(checkDequantize(kernel, {129, 2048}, {{"q", {2049, 0}}, {"y", {2051, 0}}}, "access = element") ==
          "");
    CHECK(checkDequantize(kernel, {129, 2048}, {{"q", {0, 1}}, {"y", {0, 1}}}, "access = element") == "");
  }
}

TEST_CASE("pack_scales and unpack_scales", "[small][simulated][family]") {
  std::string dense = "memref<?x?xf8E8M0FNU>", tiled = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";
  auto copy = [&](const std::string &name, const std::string &from, const std::string &to) {
    return "mx.kernel @" + name + "(%a: " + from + ", %b: " + to + ") { mx." + name + " ins(%a : " + from +
           ") outs(%b : " + to + ") }\n";
  };
  Module module = compileForDevice(copy("pack_scales", dense, tiled) + copy("unpack_scales", tiled, dense));
  for (Shape shape : {Shape{1, 1}, Shape{127, 33}, Shape{128, 4}, Shape{129, 5}, Shape{1000, 224},
                      Shape{0, 3}, Shape{3, 0}, Shape{5000, 1030}})
    for (const char *name : {"pack_scales", "unpack_scales"}) {
      Kernel kernel = module.kernel(name);
      ScaleLayout layout = scaleLayoutOf(argumentOf(kernel.abi(), "a"));
      std::vector<std::byte> bytes =
          randomBytes(static_cast<size_t>(scaleCount(layout, shape.rows, shape.columns)), 3);
      RunCase run;
      run.inputs = {{"a", bytes}};
      run.dimensions = {{"M", shape.rows}, {"KB", shape.columns}};
      INFO(name << " " << text(shape));
      CHECK(runChecked(kernel, run).failure == "");
    }
}
