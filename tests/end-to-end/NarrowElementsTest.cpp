// mx.quantize and mx.dequantize of elements below 8 bits: types, rules, layouts, tiles, groups, and rows that
// are no whole bytes.
#include "dialect/formats/PackedCodes.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <span>

using namespace mxc;

// Even columns: of every lane's, of words alone, of bytes alone.
static const Shape kShapes[] = {{1, 32},   {1, 2},  {127, 34}, {129, 2080},
                                {300, 96}, {0, 64}, {64, 0},   {33, 46}};
// One of each alignment's: multiples of 32, of 8, of 4, of 2.
static const Shape kFewShapes[] = {{127, 64}, {130, 1032}, {33, 1004}, {5, 66}};
// Columns of 6 bits are multiples of four.
static const char *const kSixBits[] = {"f6E3M2FN", "f6E2M3FN"};
static const Shape kShapesOfSix[] = {{1, 32},   {1, 4},  {127, 36}, {129, 2080},
                                     {300, 96}, {0, 64}, {64, 0},   {33, 44}};

static QuantizeText quantizeText(const std::string &name, const std::string &element = "f4E2M1FN") {
  QuantizeText text;
  text.element = element, text.name = name;
  return text;
}

TEST_CASE("quantize to 4 bits: inputs x layouts x roundings x special modes", "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *rounding : {"ceil", "floor", "even"})
      for (const char *special : {"propagate", "saturate", "nan_scale"}) {
        QuantizeText text = quantizeText("k" + std::to_string(rotation));
        text.input = input, text.rounding = rounding, text.special = special;
        text.layout = rotation++ % 2 ? "dense" : "tcgen05";
        module += text.text();
      }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (Shape shape : kShapes)
      CHECK(checkQuantize(compiled.kernel(abi.name), shape) == "");
}

// Its scale for the tensor: largest magnitude / 2688 of ordinary data, and what no recipe gives.
static const float kTensorScales[] = {0.001f, 1, 0.37f, 3e-38f, 2e38f, -0.02f, 0, INFINITY, NAN};

static std::string nvfp4Text(const std::string &name, const std::string &input, const std::string &special,
                             const std::string &layout) {
  const std::string x = "memref<?x?x" + input + ">", t = "memref<1xf32>", q = "memref<?x?xf4E2M1FN>",
                    s = "memref<?x?xf8E4M3FN, #mx.scale_layout<" + layout + ">>";
  return "mx.kernel @" + name + "(%x: " + x + ", %t: " + t + ", %q: " + q + ", %s: " + s +
         ") {\n  mx.quantize ins(%x : " + x + ") tensor_scale(%t : " + t + ") outs(%q, %s : " + q + ", " + s +
         ") special = " + special + "\n}\n";
}

static std::string checkNvfp4(const Kernel &kernel, Shape shape, float tensorScale,
                              const std::string &expectedTile = {}) {
  RunCase run;
  const std::vector<std::byte> x = matrixData(floatTypeNamed(argumentOf(kernel.abi(), "x").type), shape.rows,
                                              shape.columns, uint64_t(shape.rows));
  run.inputs = {{"x", x}, {"t", std::as_bytes(std::span(&tensorScale, 1))}};
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : text(shape) + " in " + std::to_string(tensorScale) + outcome.failure;
}

TEST_CASE("quantize to 4 bits in two levels: inputs x special modes x layouts x tensor scales",
          "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *special : {"propagate", "saturate", "nan_scale"}) {
      module += nvfp4Text("k" + std::to_string(rotation), input, special, rotation % 2 ? "dense" : "tcgen05");
      ++rotation;
    }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels) {
    for (Shape shape : kShapes)
      CHECK(checkNvfp4(compiled.kernel(abi.name), shape, 0.01f) == "");
    for (float tensorScale : kTensorScales)
      CHECK(checkNvfp4(compiled.kernel(abi.name), {33, 96}, tensorScale) == "");
  }
}

// The small tile, and the one whose lanes have two blocks.
static const char *const kSmall = "", *const kTwoBlocks = "lane_elements = 32";

TEST_CASE("quantize to 4 bits in two levels: every bf16 maximum", "[small][simulated]") {
  const char *tile = GENERATE(kSmall, kTwoBlocks);
  Kernel kernel = compileForDevice(nvfp4Text("k", "bf16", "propagate", "dense"), tile).kernel();
  constexpr int64_t kRows = 510, kColumns = 1024; // 0x7F80 blocks of 16
  std::vector<uint16_t> x(size_t(kRows * kColumns));
  for (size_t i = 0; i < x.size(); ++i) {
    const uint32_t maximum = uint32_t(i / 16), below = uint32_t(i % 16) * 11;
    x[i] = uint16_t((maximum > below ? maximum - below : 0) | (i % 3 ? 0x8000 : 0));
  }
  for (uint32_t bits :
       {0x3F800000u, 0x3FFFFFFFu, 0x3ABD7A0Fu, 0x17FFFFFFu, 0x67FFFFFFu, 0x3F2AAAABu, 0x3DFFFFFFu}) {
    const float tensorScale = std::bit_cast<float>(bits);
    RunCase run;
    run.inputs = {{"x", std::as_bytes(std::span(x))}, {"t", std::as_bytes(std::span(&tensorScale, 1))}};
    run.dimensions = {{"M", kRows}, {"K", kColumns}};
    CHECK(runChecked(kernel, run).failure == "");
  }
}

static uint16_t nearestBf16(double x) {
  const uint32_t bits = std::bit_cast<uint32_t>(float(x));
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// Blocks of `length` whose first element is `largest`, with `others` and their negatives after it.
static void appendBlocks(std::vector<uint16_t> &x, int length, uint16_t largest,
                         const std::vector<uint16_t> &others) {
  for (uint16_t sign : {0x0000, 0x8000})
    for (size_t i = 0; i < others.size(); ++i) {
      if (x.size() % length == 0) x.push_back(largest);
      x.push_back(others[i] | sign);
    }
  x.resize((x.size() + length - 1) / length * length); // a part of a block: zeros
}

TEST_CASE("quantize to 4 bits in two levels: every scale x boundary of an element", "[small][simulated]") {
  const char *tile = GENERATE(kSmall, kTwoBlocks);
  Kernel kernel = compileForDevice(nvfp4Text("k", "bf16", "propagate", "tcgen05"), tile).kernel();
  for (float tensorScale : {1.0f, 0.37f, 3.3f / 2688}) {
    std::vector<uint16_t> x;
    for (uint32_t code = 1; code <= 0x7E; ++code) {
      const double scale = double(scaleValue(ScaleFormat::UE4M3, code)) * tensorScale;
      std::vector<uint16_t> others;
      for (double boundary : {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0})
        for (int distance = -2; distance <= 2; ++distance)
          others.push_back(uint16_t(nearestBf16(boundary * scale) + distance));
      appendBlocks(x, 16, nearestBf16(6 * scale), others);
    }
    const int64_t columns = 1024, rows = (int64_t(x.size()) + columns - 1) / columns;
    x.resize(size_t(rows * columns));
    RunCase run;
    run.inputs = {{"x", std::as_bytes(std::span(x))}, {"t", std::as_bytes(std::span(&tensorScale, 1))}};
    run.dimensions = {{"M", rows}, {"K", columns}};
    CHECK(runChecked(kernel, run).failure == "");
  }
}

static void checkBelowLargest(const Kernel &kernel, std::initializer_list<uint16_t> largestOnes) {
  for (uint16_t largest : largestOnes) {
    std::vector<uint16_t> others(largest + 1), x;
    for (size_t i = 0; i < others.size(); ++i)
      others[i] = uint16_t(i);
    appendBlocks(x, 32, largest, others);
    const int64_t columns = 1024, rows = (int64_t(x.size()) + columns - 1) / columns;
    x.resize(size_t(rows * columns));
    RunCase run;
    run.inputs = {{"x", std::as_bytes(std::span(x))}};
    run.dimensions = {{"M", rows}, {"K", columns}};
    CHECK(runChecked(kernel, run).failure == "");
  }
}

TEST_CASE("quantize to 4 bits: every bf16 below a block's largest", "[small][simulated]") {
  const char *tile = GENERATE(kSmall, kTwoBlocks);
  checkBelowLargest(compileForDevice(quantizeText("k").text(), tile).kernel(),
                    {0x40C0, 0x40A0, 0x0241, 0x7F7F}); // 6, 5, near both ends
}

TEST_CASE("quantize to 6 bits: every bf16 below a block's largest", "[small][simulated]") {
  for (const char *element : kSixBits)
    checkBelowLargest(compileForDevice(quantizeText("k", element).text()).kernel(),
                      {0x41E0, 0x40F0, 0x0241, 0x7F7F}); // 28, 7.5
}

TEST_CASE("quantize to 6 bits: inputs x layouts x roundings x special modes", "[small][simulated]") {
  const char *const roundings[] = {"ceil", "floor", "even"}, *const modes[] = {"propagate", "saturate",
                                                                               "nan_scale"};
  std::string module;
  int number = 0;
  for (const char *element : kSixBits)
    for (const char *input : {"bf16", "f16", "f32"}) {
      QuantizeText text = quantizeText("k" + std::to_string(number), element);
      text.input = input, text.rounding = roundings[number % 3],
      text.special = modes[(number + number / 3) % 3];
      text.layout = number++ % 2 ? "dense" : "tcgen05";
      module += text.text();
    }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (Shape shape : kShapesOfSix)
      CHECK(checkQuantize(compiled.kernel(abi.name), shape) == "");
}

TEST_CASE("quantize to 6 bits: forced tiles", "[small][simulated]") {
  for (const char *tile :
       {"lane_elements = 16", "lane_elements = 32", "rows_per_warp = 1, lane_elements = 32",
        "rows_per_warp = 4, lane_elements = 4, access = element"}) {
    Kernel kernel = compileForDevice(quantizeText("k", "f6E2M3FN").text(), tile).kernel();
    CHECK(checkQuantize(kernel, {127, 64}, tile) == "");
    CHECK(checkQuantize(kernel, {130, 1036}) == "");
  }
}

TEST_CASE("quantize to 6 bits: strided rows and odd addresses", "[small][simulated]") {
  QuantizeText text = quantizeText("k", "f6E3M2FN");
  text.strides = "?";
  Kernel kernel = compileForDevice(text.text()).kernel();
  CHECK(checkQuantize(kernel, {129, 256}, "access = vector", {{"x", {272, 0}}, {"q", {272, 0}}}) == "");
  CHECK(checkQuantize(kernel, {129, 256}, "access = element", {{"x", {272, 0}}, {"q", {260, 0}}}) == "");
  CHECK(checkQuantize(kernel, {129, 256}, "access = element", {{"x", {257, 1}}, {"q", {264, 4}}}) == "");
}

TEST_CASE("quantize to 4 bits in two levels: forced tiles", "[small][simulated]") {
  for (const char *tile : {"lane_elements = 8", "lane_elements = 16", "lane_elements = 32",
                           "rows_per_warp = 1, lane_elements = 16", "variant = bulk",
                           "rows_per_warp = 4, lane_elements = 4, access = element"}) {
    Module compiled = compileForDevice(
        nvfp4Text("a", "bf16", "propagate", "tcgen05") + nvfp4Text("b", "f32", "saturate", "dense"), tile);
    for (const KernelAbi &abi : compiled.abi().kernels) {
      CHECK(checkNvfp4(compiled.kernel(abi.name), {129, 160}, 0.02f, tile) == "");
      for (Shape shape : kFewShapes)
        CHECK(checkNvfp4(compiled.kernel(abi.name), shape, 0.02f) == "");
    }
  }
}

TEST_CASE("quantize to 4 bits: forced tiles", "[small][simulated]") {
  const char *const tiles[] = {"lane_elements = 8",
                               "lane_elements = 16",
                               "lane_elements = 32",
                               "rows_per_warp = 1, lane_elements = 32",
                               "variant = bulk",
                               "variant = bulk, rows_per_warp = 1, order = rows",
                               "rows_per_warp = 4, lane_elements = 4, access = element",
                               "rows_per_warp = 1, lane_elements = 16, access = element"};
  int rotation = 0;
  for (const char *tile : tiles) {
    std::string module;
    for (const char *input : {"bf16", "f32"}) {
      QuantizeText text = quantizeText(std::string("of_") + input);
      text.input = input, text.layout = rotation++ % 2 ? "dense" : "tcgen05";
      module += text.text();
    }
    Module compiled = compileForDevice(module, tile);
    for (const KernelAbi &abi : compiled.abi().kernels) {
      CHECK(checkQuantize(compiled.kernel(abi.name), kFewShapes[0], tile) == "");
      for (Shape shape : kFewShapes)
        CHECK(checkQuantize(compiled.kernel(abi.name), shape) == "");
    }
  }
}

TEST_CASE("quantize to 4 bits: strided rows and odd addresses", "[small][simulated]") {
  QuantizeText text = quantizeText("k");
  text.strides = "?";
  Kernel kernel = compileForDevice(text.text()).kernel();
  CHECK(checkQuantize(kernel, {129, 256}, "access = vector", {{"x", {264, 0}}, {"q", {264, 0}}}) == "");
  CHECK(checkQuantize(kernel, {129, 256}, "access = element", {{"x", {264, 0}}, {"q", {258, 0}}}) == "");
  CHECK(checkQuantize(kernel, {129, 256}, "access = element", {{"x", {257, 1}}, {"q", {264, 6}}}) == "");
}

TEST_CASE("quantize to 4 bits: groups and gathered rows", "[small][simulated]") {
  std::string module;
  for (const char *align : {"1", "128"}) {
    QuantizeText text = quantizeText(std::string("align_") + align);
    text.align = align, text.isGathered = true;
    module += text.text();
  }
  Module compiled = compileForDevice(module);
  const std::vector<int32_t> ends[] = {{0, 5, 5, 140, 150}, {100, 100, 130, 260, 390}};
  for (int64_t columns : {96, 34}) {
    const std::vector<std::byte> x = matrixData(FloatType::BF16, 50, columns, 3);
    std::vector<int32_t> index(400);
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = int32_t(i * 7 % 51) - 1;
    for (const auto &[name, of] : {std::pair("align_1", ends[0]), std::pair("align_128", ends[1])}) {
      RunCase run;
      run.inputs = {
          {"x", x}, {"ends", std::as_bytes(std::span(of))}, {"index", std::as_bytes(std::span(index))}};
      run.dimensions = {{"M", 400}, {"K", columns}, {"N", 50}, {"G", int64_t(of.size())}};
      CHECK(runChecked(compiled.kernel(name), run).failure == "");
    }
  }
}

TEST_CASE("quantize to 4 bits: a row that is no whole number of bytes is refused", "[small][simulated]") {
  Kernel kernel = compileForDevice(quantizeText("k").text()).kernel();
  const std::string expected = "a row of 33 e2m1 is not a whole number of bytes";
  TensorView q{4096, "e2m1", {4, 33}, {}}, x{8192, "bf16", {4, 33}, {}}, s{16384, "ue8m0", {512}, {}};
  CHECK_THROWS_WITH(kernel.prepare({{"x", x}, {"q", q}, {"s", s}}, {}), Catch::Contains(expected));
}

static void checkDequantize(const std::string &element, std::span<const Shape> shapes,
                            std::initializer_list<const char *> tiles) {
  std::string module;
  for (const char *output : {"bf16", "f16", "f32"})
    for (const char *layout : {"dense", "tcgen05"})
      module +=
          DequantizeText{element, layout, output, {}, std::string("to_") + output + "_" + layout}.text();
  for (const char *tile : tiles) {
    Module compiled = compileForDevice(module, tile);
    for (const KernelAbi &abi : compiled.abi().kernels)
      for (Shape shape : shapes) {
        const ScaleLayout layout = scaleLayoutOf(argumentOf(abi, "s"));
        const int64_t bytes = storageBytes(*elementFormatNamed(element), shape.rows * shape.columns);
        std::vector<std::byte> codes = randomBytes(size_t(bytes), 1);
        std::vector<std::byte> scales =
            randomBytes(size_t(scaleCount(layout, shape.rows, (shape.columns + 31) / 32)), 2);
        RunCase run;
        run.inputs = {{"q", codes}, {"s", scales}};
        run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
        CHECK(runChecked(compiled.kernel(abi.name), run).failure == "");
      }
  }
}

TEST_CASE("dequantize from 4 bits: outputs x layouts x tiles", "[small][simulated][family]") {
  checkDequantize("f4E2M1FN", kShapes,
                  {"", "lane_elements = 32", "rows_per_warp = 4, access = element",
                   "lane_elements = 4, access = element"});
}

TEST_CASE("dequantize from 6 bits: outputs x layouts x tiles", "[small][simulated][family]") {
  checkDequantize("f6E2M3FN", kShapesOfSix, {"", "rows_per_warp = 4, access = element"});
  checkDequantize("f6E3M2FN", std::span(kShapesOfSix).first(4), {"lane_elements = 32"});
}

TEST_CASE("dequantize from 4 bits in two levels: outputs x layouts x tensor scales", "[small][simulated]") {
  std::string module;
  for (const std::string output : {"bf16", "f16", "f32"})
    for (const std::string layout : {"dense", "tcgen05"}) {
      const std::string q = "memref<?x?xf4E2M1FN>", t = "memref<1xf32>", y = "memref<?x?x" + output + ">",
                        s = "memref<?x?xf8E4M3FN, #mx.scale_layout<" + layout + ">>";
      module += "mx.kernel @to_" + output + "_" + layout + "(%q: " + q + ", %s: " + s + ", %t: " + t +
                ", %y: " + y + ") {\n  mx.dequantize ins(%q, %s : " + q + ", " + s +
                ") tensor_scale(%t : " + t + ") outs(%y : " + y + ")\n}\n";
    }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (Shape shape : kShapes)
      for (float tensorScale : {0.01f, -3e37f, 1e-40f, NAN}) {
        const ScaleLayout layout = scaleLayoutOf(argumentOf(abi, "s"));
        std::vector<std::byte> codes = randomBytes(size_t(shape.rows * shape.columns / 2), 1);
        std::vector<std::byte> scales =
            randomBytes(size_t(scaleCount(layout, shape.rows, (shape.columns + 15) / 16)), 2);
        RunCase run;
        run.inputs = {{"q", codes}, {"s", scales}, {"t", std::as_bytes(std::span(&tensorScale, 1))}};
        run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
        CHECK(runChecked(compiled.kernel(abi.name), run).failure == "");
      }
}
