// mx.quantize along columns and along both axes: types, layouts, rules, tiles, strides and prologues.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

using namespace mxc;

static const char *const kRoundings[] = {"ceil", "floor", "even"};
static const char *const kSpecials[] = {"propagate", "saturate", "nan_scale"};
static const char *const kAxes[] = {"axis = column", "axis = column transpose = false", "axis = both",
                                    "axis = both transpose = false"};

/// Every input type, element and layout; axes and rules rotate.
static std::string moduleText(int rotation, const std::string &strides = {}) {
  std::string module;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *element : {"f8E4M3FN", "f8E5M2"})
      for (const char *layout : {"dense", "tcgen05"}) {
        QuantizeText text;
        text.input = input, text.element = element, text.layout = layout, text.strides = strides;
        text.axis = kAxes[rotation % 4];
        text.rounding = kRoundings[rotation / 4 % 3], text.special = kSpecials[rotation / 2 % 3];
        text.name = "k" + std::to_string(rotation++);
        module += text.text();
      }
  return module;
}

// Whole pieces of 16 bytes both ways, so that the forced tile is launched; then shapes for the general one.
static const Shape kWhole[] = {{16, 32}, {128, 256}, {304, 400}, {4096, 128}, {2048, 4096}, {0, 64}, {64, 0}};
static const Shape kOdd[] = {{1, 1}, {127, 33}, {33, 1000}, {129, 2056}};

static void checkShapes(const Kernel &kernel, std::span<const Shape> shapes, const std::string &tile) {
  for (Shape shape : affordable(shapes))
    CHECK(checkQuantize(kernel, shape, tile) == "");
}

TEST_CASE("quantize along columns, and both axes: forced tiles", "[small]") {
  const char *const tiles[] = {"store_bytes = 16",
                               "columns = 256, order = columns",
                               "order = columns, cluster_rows = 2, cluster_columns = 3",
                               "cluster_rows = 4, cluster_columns = 2",
                               "load = direct",
                               "columns = 64, ctas_per_sm = 6",
                               "columns = 64, load = direct, order = columns, cluster_columns = 2",
                               "load = direct, columns = 256, store_bytes = 8",
                               "load = element, store_bytes = 2",
                               "store_bytes = 4, ctas_per_sm = 1",
                               "load = element, store_bytes = 1"};
  std::vector<std::future<Module>> modules;
  int rotation = 0;
  for (const char *tile : tiles)
    modules.push_back(compileInBackground(moduleText(rotation++), tile));
  for (size_t i = 0; i < std::size(tiles); ++i) {
    Module module = modules[i].get();
    for (const KernelAbi &abi : module.abi().kernels) {
      checkShapes(module.kernel(abi.name), kWhole, tiles[i]);
      checkShapes(module.kernel(abi.name), kOdd, "");
    }
  }
}

TEST_CASE("quantize along columns, and both axes: the tiles that are chosen", "[small][simulated][family]") {
  Module module = compileForDevice(moduleText(0));
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    checkShapes(module.kernel(abi.name), std::array{Shape{144, 272}}, "load = bulk, store_bytes = 16");
    checkShapes(module.kernel(abi.name), std::array{Shape{300, 96}, Shape{127, 33}, Shape{1, 1}}, "");
  }
}

// Whose scales of the layout's tiles are parts of two CTAs', or of one alone.
TEST_CASE("quantize along columns, and both axes: tiles of 64 columns", "[small][simulated][family]") {
  Module module = compileForDevice(moduleText(1), "columns = 64, ctas_per_sm = 6");
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    checkShapes(module.kernel(abi.name), std::array{Shape{144, 272}, Shape{304, 160}, Shape{16, 64}},
                "columns = 64");
    checkShapes(module.kernel(abi.name), std::array{Shape{129, 33}}, "");
  }
}

// The widest store that rows of the transposed copy take, of a copy along rows its own.
TEST_CASE("quantize along columns, and both axes: rows of 8, 4, 2 and 1 bytes",
          "[small][simulated][family]") {
  std::string module;
  for (const char *axis : {"axis = column", "axis = both"}) {
    QuantizeText text;
    text.axis = axis, text.name = text.axis.substr(7);
    module += text.text();
  }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels) {
    const Kernel kernel = compiled.kernel(abi.name);
    CHECK(checkQuantize(kernel, {152, 272}, "load = bulk, store_bytes = 1") == "");
    CHECK(checkQuantize(kernel, {280, 264}, "load = bulk, store_bytes = 1") == "");
    CHECK(checkQuantize(kernel, {140, 272}, "load = bulk, store_bytes = 1") == "");
    CHECK(checkQuantize(kernel, {130, 144}, "load = bulk, store_bytes = 1") == "");
    CHECK(checkQuantize(kernel, {131, 144}, "load = bulk, store_bytes = 1") == "");
    CHECK(checkQuantize(kernel, {131, 140}, "load = element, store_bytes = 1") == "");
  }
}

TEST_CASE("quantize along columns, and both axes: every rounding and special mode") {
  std::vector<std::future<Module>> modules;
  for (int rotation = 0; rotation < 12; ++rotation)
    modules.push_back(compileInBackground(moduleText(rotation)));
  for (std::future<Module> &future : modules) {
    Module module = future.get();
    for (const KernelAbi &abi : module.abi().kernels)
      checkShapes(module.kernel(abi.name), std::array{Shape{304, 400}, Shape{129, 77}, Shape{16384, 1024}},
                  "");
  }
}

TEST_CASE("quantize along columns, and both axes: presets", "[small][simulated][family]") {
  std::string module;
  for (const CompatPreset &preset : compatPresets()) {
    QuantizeText text;
    text.axis = "axis = both";
    text.clauses = "compat = \"" + std::string(preset.name) + "\"";
    if (preset.scale == ScaleFormat::UE4M3) continue; // FourBitColumnsTest.cpp
    if (preset.scale == ScaleFormat::F32) text.block = "1x128", text.layout = "mn_major";
    text.name = preset.name;
    module += text.text();
  }
  for (const char *clauses : {"tiny = clamp", "rounding = even special = unit_scale"}) {
    QuantizeText ofZeros; // whose scale is not the byte that padding has
    ofZeros.axis = "axis = both", ofZeros.clauses = clauses;
    ofZeros.name = clauses[0] == 't' ? "clamped" : "unit";
    module += ofZeros.text();
  }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    checkShapes(compiled.kernel(abi.name), std::array{Shape{144, 160}, Shape{65, 31}}, "");
}

TEST_CASE("quantize along columns, and both axes: strided rows and odd addresses", "[small]") {
  Module module = compileForDevice(moduleText(2, "?"));
  for (const KernelAbi &abi : module.abi().kernels) {
    Kernel kernel = module.kernel(abi.name);
    bool isBoth = abi.operation.attributes.at("axis") == "both";
    auto check = [&](const char *tile, Placement x, Placement q) {
      GuardedArguments::Placements placements = {{"x", x}, {isBoth ? "qt" : "q", q}};
      if (isBoth) placements["q"] = {4096, 0};
      CHECK(checkQuantize(kernel, {144, 2048}, tile, placements) == "");
    };
    check("load = bulk, store_bytes = 16", {2064, 0}, {4096, 0});
    check("load = bulk, store_bytes = 1", {2064, 0}, {4100, 0});
    check("load = bulk, store_bytes = 1", {2064, 0}, {4097, 0});
    check("load = bulk, store_bytes = 1", {2064, 0}, {4096, 3});
    check("load = element, store_bytes = 1", {2049, 0}, {4096, 0});
    check("load = element, store_bytes = 1", {2064, 1}, {4096, 3});
  }
}

TEST_CASE("quantize along columns, and both axes: shapes that the types fix", "[small]") {
  QuantizeText text;
  text.axis = "axis = both", text.shape = "144x272", text.transposedShape = "272x144";
  CHECK(checkQuantize(compileForDevice(text.text()).kernel(), {144, 272}, "load = bulk") == "");
  text.axis = "axis = column", text.shape = "100x33", text.transposedShape = "33x100";
  CHECK(checkQuantize(compileForDevice(text.text()).kernel(), {100, 33}, "load = element") == "");
}

static std::string fusedText(const std::string &type, const std::string &axis, const std::string &body) {
  QuantizeText text;
  text.input = type, text.axis = axis, text.inputs = 2, text.prologue = body;
  return text.text();
}

static void checkFused(const std::string &type, const std::string &source, const std::string &tile,
                       bool finite) {
  Kernel kernel = compileForDevice(source, tile).kernel();
  Prologue prologue = Prologue::parse(source).value();
  for (Shape shape : {Shape{144, 272}, Shape{127, 33}, Shape{1, 1}, Shape{300, 96}}) {
    std::vector<std::byte> a = matrixData(floatTypeNamed(type), shape.rows, shape.columns, 5, finite);
    std::vector<std::byte> b = matrixData(floatTypeNamed(type), shape.rows, shape.columns, 6, finite);
    RunCase run;
    run.inputs = {{"x", a}, {"y", b}};
    run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
    run.prologue = &prologue;
    RunOutcome outcome = runChecked(kernel, run);
    INFO(text(shape) << " <" << outcome.tile << ">\n" << source);
    CHECK(outcome.failure == "");
  }
}

TEST_CASE("quantize along columns, and both axes: prologues", "[small][simulated][family]") {
  int number = 0;
  for (const char *axis : kAxes)
    for (const char *tile : {"", "load = direct"}) {
      if (!isLeftToOthers(number++))
        checkFused("bf16", fusedText("bf16", axis, kExactPrologue), tile, /*finite=*/false);
      if (!isLeftToOthers(number++))
        checkFused("bf16", fusedText("bf16", axis, kSwigluPrologue), tile, /*finite=*/true);
    }
  checkFused("f32", fusedText("f32", "axis = both", kExactPrologue), "", /*finite=*/false);
}
