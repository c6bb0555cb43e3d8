// mx.quantize and mx.dequantize with f32 scales for blocks of 128: along rows and columns and both, blocks of
// 128x128, layouts, rules and presets, prologues and totals.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace mxc;

namespace {

const char *const kAxes[] = {"axis = row", "axis = column", "axis = column transpose = false", "axis = both",
                             "axis = both transpose = false"};
const char *const kInputs[] = {"bf16", "f32", "f16"};
// Some of every rounding, special and tiny.
const char *const kRules[] = {"special = propagate",
                              "compat = \"deepseek\"",
                              "special = saturate rounding = ceil",
                              "compat = \"te_blockwise\"",
                              "rounding = floor special = nan_scale tiny = clamp",
                              "compat = \"te_blockwise_f32\"",
                              "rounding = inverse special = saturate",
                              "rounding = reciprocal special = unit_scale",
                              "special = saturate tiny = clamp",
                              "rounding = even special = unit_scale",
                              "special = ieee",
                              "rounding = inverse special = ieee"};

// Whole pieces both ways; then more rows or columns than a block, and odd.
const Shape kWhole[] = {{144, 272}, {256, 128}, {2048, 4096}};
const Shape kOdd[] = {{1, 1}, {127, 33}, {129, 77}, {300, 131}, {0, 64}, {64, 0}};

QuantizeText textOf(int rotation, const char *block = "1x128") {
  QuantizeText text;
  text.block = block, text.axis = kAxes[rotation % 5], text.input = kInputs[rotation / 2 % 3];
  text.element = rotation % 3 == 2 ? "f8E5M2" : "f8E4M3FN";
  text.layout = rotation % 2 || text.block == "128x128" ? "dense" : "mn_major";
  text.clauses = kRules[rotation % 12];
  text.name = "k" + std::to_string(rotation);
  return text;
}

std::string check(const Kernel &kernel, Shape shape, uint64_t seed, bool finite,
                  const std::string &expectedTile = {}, const Prologue *prologue = nullptr) {
  const FloatType type = floatTypeNamed(argumentOf(kernel.abi(), "x").type);
  const std::vector<std::byte> x = matrixData(type, shape.rows, shape.columns, seed, finite),
                               y = matrixData(type, shape.rows, shape.columns, seed + 1, finite);
  RunCase run;
  run.inputs["x"] = x;
  if (prologue) run.inputs["y"] = y;
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  run.prologue = prologue;
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  if (outcome.failure.empty()) return {};
  std::string failure = text(shape);
  for (const auto &[name, value] : kernel.abi().operation.attributes)
    failure += " " + name + "=" + value;
  return failure + " <" + outcome.tile + ">\n" + outcome.failure;
}

void checkShapes(const Kernel &kernel, std::span<const Shape> shapes, const std::string &tile = {}) {
  for (Shape shape : affordable(shapes))
    for (bool finite : {false, true})
      CHECK(check(kernel, shape, 11, finite, tile) == "");
}

void checkModule(const std::string &source, const std::string &tile = {}, bool isForced = false) {
  Module module = compileForDevice(source, tile);
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    checkShapes(module.kernel(abi.name), kWhole, isForced ? tile : "");
    checkShapes(module.kernel(abi.name), kOdd);
  }
}

} // namespace

TEST_CASE("quantize blockwise: axes, rules, layouts and types of 1x128", "[small][simulated]") {
  std::string module;
  for (int rotation = 0; rotation < 15; ++rotation)
    module += textOf(rotation).text();
  checkModule(module);
}

TEST_CASE("quantize blockwise: every axis with every rule") {
  for (int axis = 0; axis < 5; ++axis) {
    std::string module;
    for (int rotation = axis; rotation < 60; rotation += 5)
      module += textOf(rotation).text();
    checkModule(module);
  }
}

TEST_CASE("quantize blockwise: 128x128 along every axis", "[small][simulated]") {
  std::string module;
  for (int rotation = 0; rotation < 10; ++rotation)
    module += textOf(rotation, "128x128").text();
  checkModule(module);
}

// Scales of one byte, and those that are written for each of the smaller blocks.
namespace {
struct ByteCase {
  const char *block, *layout;
};
const ByteCase kByteCases[] = {{"1x128", "dense"},
                               {"128x128", "dense"},
                               {"1x128", "mn_major"},
                               {"1x128", "mn_packed"},
                               {"1x128 to 1x32", "tcgen05"},
                               {"128x128 to 1x32", "tcgen05"},
                               {"1x128 to 1x32", "dense"},
                               {"128x128 to 1x32", "mn_packed"},
                               {"128x128 to 1x128", "mn_major"},
                               {"1x128 to 1x32", "mn_major"},
                               {"128x128 to 1x128", "mn_packed"},
                               {"1x32", "mn_packed"}};

QuantizeText byteTextOf(int rotation) {
  static const char *const rules[] = {
      "rounding = ceil special = propagate", "compat = \"megatron\"",
      "special = saturate rounding = floor", "compat = \"te\"",
      "rounding = even special = nan_scale", "tiny = clamp special = unit_scale"};
  const ByteCase &c = kByteCases[rotation % std::size(kByteCases)];
  QuantizeText text = textOf(rotation, c.block);
  text.layout = c.layout, text.scale = "f8E8M0FNU", text.clauses = rules[rotation % 6];
  return text;
}
} // namespace

TEST_CASE("quantize blockwise: scales of one byte, and for smaller blocks", "[small][simulated]") {
  std::string module;
  for (int rotation = 0; rotation < 12; ++rotation)
    module += byteTextOf(rotation).text();
  checkModule(module);
}

TEST_CASE("quantize blockwise: scales of one byte on every axis") {
  for (int axis = 0; axis < 5; ++axis) {
    std::string module;
    for (int rotation = axis; rotation < 60; rotation += 5)
      module += byteTextOf(rotation).text();
    checkModule(module);
  }
}

TEST_CASE("quantize blockwise: f32 scales of 128x128 for its rows", "[small][simulated]") {
  std::string module;
  for (int rotation = 0; rotation < 5; ++rotation) {
    QuantizeText text = textOf(rotation, "128x128 to 1x128");
    text.layout = rotation % 2 ? "dense" : "mn_major";
    module += text.text();
  }
  checkModule(module);
}

// What a quantizer writes for smaller blocks is what mx.convert_scales makes of scales that are powers of
// two.
TEST_CASE("quantize blockwise: as quantized to f32 and converted", "[small][simulated]") {
  for (const char *block : {"1x128", "128x128"}) {
    const std::string change = std::string(block) + " to 1x32";
    QuantizeText first, direct;
    first.block = block, first.layout = "dense", first.clauses = "rounding = ceil";
    direct.block = change, direct.scale = "f8E8M0FNU", direct.clauses = "rounding = ceil";
    const std::string from = "memref<?x?xf32>", to = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";
    const std::string convert = "mx.kernel @c(%a: " + from + ", %b: " + to +
                                ") { mx.convert_scales ins(%a : " + from + ") outs(%b : " + to +
                                ") block = " + change + " }\n";
    constexpr int64_t rows = 300, columns = 272;
    const std::vector<std::byte> x = matrixData(FloatType::BF16, rows, columns, 3, /*finite=*/false);
    RunCase quantize;
    quantize.inputs = {{"x", x}};
    quantize.dimensions = {{"M", rows}, {"K", columns}};
    const RunOutcome whole = runChecked(compileForDevice(first.text()).kernel(), quantize),
                     parts = runChecked(compileForDevice(direct.text()).kernel(), quantize);
    CHECK(whole.failure + parts.failure == "");
    RunCase conversion;
    conversion.inputs = {{"a", whole.outputs.at("s")}};
    conversion.dimensions = conversion.options.dimensions = {{"M", rows}, {"KB", (columns + 31) / 32}};
    const RunOutcome converted = runChecked(compileForDevice(convert).kernel(), conversion);
    CHECK(converted.failure == "");
    CHECK(parts.outputs.at("q") == whole.outputs.at("q"));
    CHECK(parts.outputs.at("s") == converted.outputs.at("b"));
  }
}

TEST_CASE("quantize blockwise: forced column tiles", "[small]") {
  const char *const tiles[] = {"columns = 256, order = columns",
                               "order = columns, cluster_rows = 2, cluster_columns = 3",
                               "load = direct, columns = 256, store_bytes = 8",
                               "load = element, store_bytes = 2", "load = element, store_bytes = 1"};
  for (const char *block : {"1x128", "128x128"})
    for (const char *tile : tiles) {
      if (onWarps() && std::string_view(tile).find("256") != std::string_view::npos) continue; // its memory
      std::string module;
      for (int rotation : {1, 2, 3, 4, 6, 13}) {
        QuantizeText text = textOf(rotation, block);
        text.input = "bf16"; // of which 256 columns fit every chip's memory
        module += text.text();
        text = byteTextOf(rotation), text.input = "bf16", text.name += "b";
        if (text.axis != kAxes[0]) module += text.text();
      }
      checkModule(module, tile, /*isForced=*/true);
    }
}

TEST_CASE("quantize blockwise: prologues", "[small][simulated]") {
  int rotation = 0;
  for (const char *block : {"1x128", "128x128"})
    for (const char *axis : kAxes) {
      const char *body = rotation % 2 ? kSwigluPrologue : kExactPrologue;
      QuantizeText text = textOf(rotation++, block);
      if (isLeftToOthers(rotation)) continue;
      text.axis = axis, text.input = "bf16", text.inputs = 2, text.prologue = body;
      const std::string source = text.text();
      const Prologue prologue = Prologue::parse(source).value();
      const Kernel kernel = compileForDevice(source).kernel();
      for (Shape shape : {Shape{144, 272}, Shape{129, 33}})
        CHECK(check(kernel, shape, 5, /*finite=*/body == kSwigluPrologue, "", &prologue) == "");
    }
}

TEST_CASE("quantize blockwise: amax and column sums", "[small][simulated]") {
  int rotation = 0;
  for (const char *block : {"1x128", "128x128"})
    for (const char *axis : {"axis = row", "axis = column", "axis = both"})
      for (const char *tile : {"", "load = element"}) {
        QuantizeText text = textOf(rotation++, block);
        if (isLeftToOthers(rotation)) continue;
        text.axis = axis, text.hasAmax = rotation % 3 != 1, text.hasColumnSum = rotation % 3 != 2;
        const Kernel kernel = compileForDevice(text.text(), tile).kernel();
        for (Shape shape : {Shape{304, 272}, Shape{129, 33}, Shape{0, 64}, Shape{64, 0}})
          CHECK(check(kernel, shape, 9, shape.rows % 2) == "");
      }
}

// Each quantity of a block is one: a NaN far away in the same column is in it, one row further is not.
TEST_CASE("quantize blockwise: a column's block has 128 rows", "[small][simulated]") {
  QuantizeText text;
  text.block = "1x128", text.axis = "axis = column", text.layout = "mn_major",
  text.clauses = "special = propagate";
  const Kernel kernel = compileForDevice(text.text()).kernel();
  constexpr int64_t kRows = 144, kColumns = 48;
  std::vector<uint16_t> x(kRows * kColumns, 0x3F80); // 1
  x[127 * kColumns + 5] = 0x7FC0, x[128 * kColumns + 6] = 0x7FC0;
  RunCase run;
  run.inputs["x"] = std::as_bytes(std::span(x));
  run.dimensions = {{"M", kRows}, {"K", kColumns}};
  const RunOutcome outcome = runChecked(kernel, run);
  CHECK(outcome.failure == "");
  std::vector<uint32_t> scales(2 * kColumns);
  std::memcpy(scales.data(), outcome.outputs.at("s").data(), 4 * scales.size());
  for (int64_t block : {0, 1})
    for (int64_t column = 0; column < kColumns; ++column)
      CHECK((scales[size_t(block * kColumns + column)] == 0x7FFFFFFF) == (column == 5 + block));
}

TEST_CASE("dequantize blockwise: layouts, elements and output types", "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const char *block : {"1x128", "128x128", "1x128", "128x128"})
    for (const char *output : {"bf16", "f16", "f32"}) {
      DequantizeText text;
      text.block = block, text.output = output, text.element = rotation % 2 ? "f8E5M2" : "f8E4M3FN";
      if (rotation >= 6) text.scale = "f8E8M0FNU";
      text.layout = rotation % 3 == 1 || text.block == "128x128" ? "dense" : "mn_major";
      text.name = "k" + std::to_string(rotation++);
      module += text.text();
    }
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (Shape shape : {Shape{144, 272}, Shape{129, 33}, Shape{1, 1}, Shape{0, 64}}) {
      const BlockFormatInfo &format = info(*blockFormatNamed(abi.operation.attributes.at("format")));
      const int64_t scales = scaleCount(scaleLayoutOf(argumentOf(abi, "s")), format.blocksOfRows(shape.rows),
                                        format.blocks(shape.columns));
      const std::vector<std::byte> q = randomBytes(size_t(shape.rows * shape.columns), 1),
                                   s = format.scale == ScaleFormat::F32
                                           ? matrixData(FloatType::F32, 1, scales, 2)
                                           : randomBytes(size_t(scales), 2);
      RunCase run;
      run.inputs = {{"q", q}, {"s", s}};
      run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
      CHECK(runChecked(compiled.kernel(abi.name), run).failure == "");
    }
}
