// mx.quantize of elements below 8 bits along columns, along both axes, and beside totals: types, rules,
// layouts, tiles, strides, groups, and columns that are no whole bytes.
#include "dialect/formats/PackedCodes.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <span>

using namespace mxc;

namespace {

struct Format {
  const char *element, *scale;
  int multiple; // of elements in a row of codes
  bool isTwoLevel() const { return scale == std::string("f8E4M3FN"); }
};
constexpr Format kFormats[] = {{"f4E2M1FN", "f8E8M0FNU", 2},
                               {"f4E2M1FN", "f8E4M3FN", 2},
                               {"f6E3M2FN", "f8E8M0FNU", 4},
                               {"f6E2M3FN", "f8E8M0FNU", 4}};
const char *const kInputs[] = {"bf16", "f16", "f32"};
const char *const kRoundings[] = {"ceil", "floor", "even"};
const char *const kSpecials[] = {"propagate", "saturate", "nan_scale"};
const char *const kLayouts[] = {"dense", "tcgen05", "mn_major", "mn_packed"};

QuantizeText textOf(const Format &format, const char *axis, int rotation, const std::string &name) {
  QuantizeText text;
  text.element = format.element, text.scale = format.scale, text.hasTensorScale = format.isTwoLevel();
  text.axis = axis, text.name = name;
  text.input = kInputs[rotation % 3], text.layout = kLayouts[rotation % 4];
  text.rounding = kRoundings[rotation / 2 % 3], text.special = kSpecials[rotation / 3 % 3];
  return text;
}

/// For every format and so many inputs one axis, or both.
std::string moduleText(int rotation, const std::string &strides = {}, int inputs = 3) {
  std::string module;
  int number = 0;
  for (const Format &format : kFormats)
    for (const char *axis : {"axis = column", "axis = both", "axis = column"}) {
      QuantizeText text = textOf(format, axis, rotation++, "k" + std::to_string(number));
      text.input = kInputs[number++ % inputs], text.strides = strides;
      module += text.text();
    }
  return module;
}

std::string check(const Kernel &kernel, Shape shape, const std::string &expectedTile = {},
                  GuardedArguments::Placements placements = {}, float tensorScale = 0.01f,
                  const Prologue *prologue = nullptr) {
  const KernelAbi &abi = kernel.abi();
  const bool isFinite = shape.rows % 4 == 2 || (prologue && !prologue->isExact());
  const FloatType type = floatTypeNamed(argumentOf(abi, "x").type);
  const std::vector<std::byte> x = matrixData(type, shape.rows, shape.columns, uint64_t(shape.rows),
                                              isFinite),
                               y = matrixData(type, shape.rows, shape.columns, 7, isFinite);
  RunCase run;
  run.inputs["x"] = x;
  if (prologue) run.inputs["y"] = y, run.prologue = prologue;
  if (abi.argumentOf(ArgumentRole::TensorScale)) run.inputs["t"] = std::as_bytes(std::span(&tensorScale, 1));
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  if (outcome.failure.empty()) return {};
  std::string failure = text(shape);
  for (const auto &[name, value] : abi.operation.attributes)
    failure += " " + name + "=" + value;
  return failure + " <" + outcome.tile + ">\n" + outcome.failure;
}

int multipleOf(const Kernel &kernel) {
  return kernel.abi().operation.attributes.at("format").starts_with("mxfp6") ? 4 : 2;
}
bool isBoth(const Kernel &kernel) { return kernel.abi().operation.attributes.at("axis") == "both"; }

// The shape with rows and columns of codes that are whole bytes: columns of x alone need none.
Shape wholeBytes(const Kernel &kernel, Shape shape) {
  const int64_t of = multipleOf(kernel);
  shape.rows = (shape.rows + of - 1) / of * of;
  if (isBoth(kernel)) shape.columns = (shape.columns + of - 1) / of * of;
  return shape;
}

// Whole pieces of 16 bytes of every format; then the fewest, and all remainders of tiles, blocks and words.
constexpr Shape kWhole[] = {{192, 256}, {64, 64}};
constexpr Shape kOdd[] = {{1, 1}, {17, 33}, {46, 15}, {129, 130}, {270, 77}, {131, 1000}, {0, 64}, {64, 0}};

void checkModule(const std::string &source, const std::string &tile) {
  Module module = compileForDevice(source, tile);
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    const Kernel kernel = module.kernel(abi.name);
    for (Shape shape : kWhole)
      CHECK(check(kernel, shape, tile) == "");
    for (Shape shape : kOdd)
      CHECK(check(kernel, wholeBytes(kernel, shape)) == "");
  }
}

} // namespace

TEST_CASE("quantize below 8 bits along columns, and both axes: the tiles that are chosen",
          "[small][simulated]") {
  for (int rotation : {0, 7})
    checkModule(moduleText(rotation), "");
}

TEST_CASE("quantize below 8 bits along columns, and both axes: forced tiles", "[small][simulated]") {
  int rotation = 1;
  for (const char *tile :
       {"store_bytes = 16", "columns = 64, load = direct, store_bytes = 4",
        "cluster_rows = 2, cluster_columns = 2, store_bytes = 1", "load = element, store_bytes = 1"})
    checkModule(moduleText(rotation++), tile);
  // f32 would take more shared memory than sm_120a has.
  checkModule(moduleText(rotation, {}, /*inputs=*/2), "columns = 256, order = columns");
}

// Each copy takes the widest stores that its own rows allow.
TEST_CASE("quantize below 8 bits along columns, and both axes: rows of 8, 4, 2 and 1 bytes",
          "[small][simulated]") {
  Module module = compileForDevice(moduleText(0));
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    const Kernel kernel = module.kernel(abi.name);
    for (int bytes : {8, 4, 2, 1}) {
      const int64_t rows = 128 + bytes * multipleOf(kernel);
      CHECK(check(kernel, {rows, 128 + rows}, "store_bytes = 1") == "");
    }
  }
}

TEST_CASE("quantize below 8 bits along columns, and both axes: strided rows and odd addresses",
          "[small][simulated]") {
  Module module = compileForDevice(moduleText(2, "?"), "load = bulk, store_bytes = 1");
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    const Kernel kernel = module.kernel(abi.name);
    const std::string columns = isBoth(kernel) ? "qt" : "q";
    for (auto [stride, offset] : {std::pair(320, 0), {300, 0}, {288, 12}, {256, 20}}) {
      GuardedArguments::Placements placements = {{"x", {272, 0}}, {columns, {stride, offset}}};
      if (isBoth(kernel)) placements["q"] = {stride + 128, 2 * offset};
      CHECK(check(kernel, {192, 256}, "load = bulk", placements) == "");
    }
  }
}

TEST_CASE("quantize to 4 bits in two levels along columns: tensor scales", "[small][simulated]") {
  std::string module;
  for (const char *axis : {"axis = column", "axis = both"})
    for (int rotation : {0, 4, 8})
      module +=
          textOf(kFormats[1], axis, rotation, std::string(axis).substr(7) + std::to_string(rotation)).text();
  Module compiled = compileForDevice(module);
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (float tensorScale : {0.001f, 1.0f, 0.37f, 3e-38f, 2e38f, -0.02f, 0.0f, INFINITY, NAN})
      CHECK(check(compiled.kernel(abi.name), {66, 96}, {}, {}, tensorScale) == "");
}

// A column of its own for every block: the largest above what the conversions by pairs of columns make of the
// others.
TEST_CASE("quantize below 8 bits along columns: every bf16 below a block's largest", "[small][simulated]") {
  for (const Format &format : kFormats) {
    QuantizeText text = textOf(format, "axis = column", 0, "k");
    text.input = "bf16";
    const Kernel kernel = compileForDevice(text.text()).kernel();
    for (uint16_t largest : {0x40C0, 0x40F0, 0x0241, 0x7F7F}) {
      const int64_t rows = 4096, block = format.isTwoLevel() ? 16 : 32;
      std::vector<uint16_t> line;
      for (uint32_t i = 0; i <= largest; ++i) {
        if (int64_t(line.size()) % block == 0) line.push_back(largest);
        line.push_back(uint16_t(i | (i % 2 ? 0x8000 : 0)));
      }
      const int64_t columns = (int64_t(line.size()) + rows - 1) / rows;
      std::vector<uint16_t> x(size_t(rows * columns));
      for (size_t i = 0; i < line.size(); ++i)
        x[i % size_t(rows) * size_t(columns) + i / size_t(rows)] = line[i];
      const float tensorScale = 0.37f;
      RunCase run;
      run.inputs["x"] = std::as_bytes(std::span(x));
      if (format.isTwoLevel()) run.inputs["t"] = std::as_bytes(std::span(&tensorScale, 1));
      run.dimensions = {{"M", rows}, {"K", columns}};
      CHECK(runChecked(kernel, run).failure == "");
    }
  }
}

TEST_CASE("quantize below 8 bits along columns, and both axes: groups and gathered rows",
          "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const Format &format : kFormats)
    for (const char *axis : {"axis = column", "axis = both"})
      for (bool isGathered : {false, true}) {
        QuantizeText text = textOf(format, axis, rotation, "k" + std::to_string(rotation));
        text.align = "128", text.isGathered = isGathered, text.layout = kLayouts[rotation % 3];
        if (rotation++ % 4) text.special = "propagate"; // NaN would reach the rows after a group's end
        module += text.text();
      }
  Module compiled = compileForDevice(module);
  int number = 0;
  for (const KernelAbi &abi : compiled.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    for (auto [rows, columns] : {Shape{520, 132}, Shape{420, 36}}) {
      const std::vector<int32_t> ends = endsOf({0, 1, 129, 31}, 128);
      const bool isGathered = abi.argumentOf(ArgumentRole::Index);
      const std::vector<std::byte> x = matrixData(floatTypeNamed(argumentOf(abi, "x").type),
                                                  isGathered ? 50 : rows, columns, uint64_t(columns));
      std::vector<int32_t> index(static_cast<size_t>(rows));
      for (size_t i = 0; i < index.size(); ++i)
        index[i] = int32_t(i * 7 % 51) - 1;
      const float tensorScale = 0.01f;
      RunCase run;
      run.inputs = {{"x", x}, {"ends", std::as_bytes(std::span(ends))}};
      run.dimensions = {{"M", rows}, {"K", columns}, {"G", int64_t(ends.size())}};
      if (isGathered) run.inputs["index"] = std::as_bytes(std::span(index)), run.dimensions["N"] = 50;
      if (abi.argumentOf(ArgumentRole::TensorScale))
        run.inputs["t"] = std::as_bytes(std::span(&tensorScale, 1));
      const RunOutcome outcome = runChecked(compiled.kernel(abi.name), run);
      INFO(abi.name << " " << rows << "x" << columns << " <" << outcome.tile << ">");
      CHECK(outcome.failure == "");
    }
  }
}

TEST_CASE("quantize below 8 bits along columns, and both axes: prologues of two inputs",
          "[small][simulated]") {
  int rotation = 0;
  for (const Format &format : kFormats)
    for (const char *body : {kExactPrologue, kSwigluPrologue}) {
      QuantizeText text = textOf(format, rotation % 3 ? "axis = both" : "axis = column", rotation, "k");
      text.input = "bf16", text.inputs = 2, text.prologue = body;
      if (isLeftToOthers(rotation++)) continue;
      const std::string source = text.text();
      const Prologue prologue = Prologue::parse(source).value();
      const Kernel kernel = compileForDevice(source).kernel();
      for (Shape shape : {Shape{132, 68}, Shape{64, 128}})
        CHECK(check(kernel, shape, {}, {}, 0.01f, &prologue) == "");
    }
}

TEST_CASE("quantize below 8 bits beside amax and sums of columns", "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const Format &format : kFormats)
    for (const char *axis : {"axis = row", "axis = both"}) {
      QuantizeText text = textOf(format, axis, rotation, "k" + std::to_string(rotation));
      ++rotation, text.hasAmax = true, text.hasColumnSum = true;
      module += text.text();
    }
  Module compiled = compileForDevice(module);
  int number = 0;
  for (const KernelAbi &abi : compiled.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    for (Shape shape : {Shape{128, 256}, Shape{132, 36}, Shape{4, 4}, Shape{0, 64}})
      CHECK(check(compiled.kernel(abi.name), shape) == "");
  }
}

TEST_CASE("quantize to 4 bits along columns: a column that is no whole number of bytes is refused",
          "[small][simulated]") {
  Kernel kernel = compileForDevice(textOf(kFormats[0], "axis = column", 0, "k").text()).kernel();
  TensorView q{4096, "e2m1", {4, 33}, {}}, x{8192, "bf16", {33, 4}, {}}, s{16384, "ue8m0", {4, 2}, {}};
  CHECK_THROWS_WITH(kernel.prepare({{"x", x}, {"q", q}, {"s", s}}, {}),
                    Catch::Contains("a row of 33 e2m1 is not a whole number of bytes"));
}

// Weights: scales of 1x16 that 16 rows share, along every axis.
TEST_CASE("quantize to 4 bits in two levels: blocks of 16x16", "[small][simulated]") {
  std::string module;
  int rotation = 0;
  for (const char *axis : {"axis = row", "axis = column", "axis = both"})
    for (const char *input : kInputs) {
      QuantizeText text = textOf(kFormats[1], axis, rotation, "k" + std::to_string(rotation));
      ++rotation, text.input = input, text.block = "16x16 to 1x16", text.hasAmax = rotation % 4 == 1;
      module += text.text();
    }
  for (const char *tile : {"", "columns = 64, load = direct, store_bytes = 4"}) {
    Module compiled = compileForDevice(module, tile);
    for (const KernelAbi &abi : compiled.abi().kernels)
      for (Shape shape :
           {Shape{128, 256}, Shape{2, 2}, Shape{18, 34}, Shape{130, 150}, Shape{270, 66}, Shape{0, 64}})
        CHECK(check(compiled.kernel(abi.name), shape) == "");
  }
}

TEST_CASE("quantize to 4 bits in two levels: blocks of 16x16 have the same codes both ways",
          "[small][simulated]") {
  QuantizeText text = textOf(kFormats[1], "axis = both", 0, "k");
  text.block = "16x16 to 1x16", text.layout = "dense";
  const int64_t rows = 70, columns = 102;
  const std::vector<std::byte> x = matrixData(FloatType::BF16, rows, columns, 3);
  const float tensorScale = 0.02f;
  RunCase run;
  run.inputs = {{"x", x}, {"t", std::as_bytes(std::span(&tensorScale, 1))}};
  run.dimensions = {{"M", rows}, {"K", columns}};
  const RunOutcome outcome = runChecked(compileForDevice(text.text()).kernel(), run);
  REQUIRE(outcome.failure == "");
  const auto codes = [&](const char *name) {
    std::vector<uint8_t> all(size_t(rows * columns));
    unpackCodes(ElementFormat::E2M1, reinterpret_cast<const uint8_t *>(outcome.outputs.at(name).data()), all);
    return all;
  };
  const std::vector<uint8_t> q = codes("q"), qt = codes("qt");
  int64_t different = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      different += q[size_t(r * columns + c)] != qt[size_t(c * rows + r)];
  CHECK(different == 0);
}
