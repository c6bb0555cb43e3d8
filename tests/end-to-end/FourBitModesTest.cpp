// mx.quantize to 4 bits with random bits, the Hadamard transform and two scales to choose from: every tile
// gives the reference's bytes, so all give the same.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <span>

using namespace mxc;

namespace {

// Even columns: of every lane's, of words alone, of bytes alone, and parts of 16.
constexpr Shape kShapes[] = {{1, 32}, {1, 2}, {127, 34}, {129, 1056}, {300, 96}, {0, 64}, {64, 0}, {33, 46}};
// One of each alignment's: multiples of 32, of 8, of 4, of 2.
constexpr Shape kFewShapes[] = {{127, 64}, {130, 264}, {33, 108}, {5, 66}};
constexpr const char *kTiles[] = {"lane_elements = 8",
                                  "lane_elements = 16",
                                  "lane_elements = 32",
                                  "rows_per_warp = 1, lane_elements = 16",
                                  "variant = bulk",
                                  "rows_per_warp = 4, lane_elements = 4, access = element",
                                  "rows_per_warp = 1, lane_elements = 16, access = element"};

struct Mode {
  bool isNvfp4 = false, isRandom = false;
  std::string clauses = {}; // "hadamard = 16"
  std::string input = "bf16", layout = "tcgen05", special = "propagate", name = "k", strides = {};
  std::string align = {}; // "1": rows in groups, gathered
  std::string prologue = {};

  std::string text() const {
    const std::string lines = strides.empty() ? "" : ", strided<[" + strides + ", 1]>";
    const std::string x = "memref<?x?x" + input + lines + ">", q = "memref<?x?xf4E2M1FN" + lines + ">",
                      s = "memref<?x?x" + std::string(isNvfp4 ? "f8E4M3FN" : "f8E8M0FNU") +
                          ", #mx.scale_layout<" + layout + ">>";
    std::string arguments, given;
    auto argument = [&](const std::string &clause, const std::string &value, const std::string &type) {
      arguments += ", " + value + ": " + type;
      given += " " + clause + "(" + value + " : " + type + ")";
    };
    if (isNvfp4) argument("tensor_scale", "%t", "memref<1xf32>");
    if (isRandom) argument("random", "%r", "memref<2xi64>");
    if (!align.empty()) {
      argument("groups", "%ends", "memref<?xi32>");
      argument("gather", "%index", "memref<?xi32>");
    }
    return "mx.kernel @" + name + "(%x: " + x + arguments + ", %q: " + q + ", %s: " + s +
           ") {\n  mx.quantize ins(%x : " + x + ")" + given + " outs(%q, %s : " + q + ", " + s +
           ") special = " + special + " " + clauses + (align.empty() ? "" : " align = " + align) +
           (prologue.empty() ? "" : " {\n^bb0(%a: f32):\n" + prologue + "  mx.yield %y : f32\n}") + "\n}\n";
  }
};

constexpr std::array<int64_t, 2> kRandom = {int64_t(0x9123456789ABCDEF), 0x7FFFFFFFFFFF};

std::span<const std::byte> bytesOf(const auto &values) { return std::as_bytes(std::span(values)); }

RunCase caseOf(const Kernel &kernel, std::span<const std::byte> x, Shape shape, const float &tensorScale,
               const std::array<int64_t, 2> &random = kRandom) {
  RunCase run;
  run.inputs = {{"x", x}};
  if (kernel.abi().argumentOf(ArgumentRole::TensorScale))
    run.inputs.insert({"t", std::as_bytes(std::span(&tensorScale, 1))});
  if (kernel.abi().argumentOf(ArgumentRole::Random)) run.inputs.insert({"r", bytesOf(random)});
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  return run;
}

std::string check(const Kernel &kernel, Shape shape, const std::string &expectedTile = {},
                  GuardedArguments::Placements placements = {}, const Prologue *prologue = nullptr) {
  const FloatType type = floatTypeNamed(argumentOf(kernel.abi(), "x").type);
  const std::vector<std::byte> x = matrixData(type, shape.rows, shape.columns, uint64_t(shape.rows),
                                              /*finite=*/prologue && !prologue->isExact());
  const float tensorScale = 0.01f;
  RunCase run = caseOf(kernel, x, shape, tensorScale);
  run.placements = std::move(placements), run.prologue = prologue;
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : kernel.abi().name + " " + text(shape) + outcome.failure;
}

void checkInputs(Mode mode) {
  std::string module;
  int rotation = 0;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *special : {"propagate", "saturate", "nan_scale"}) {
      mode.input = input, mode.special = special, mode.name = "k" + std::to_string(rotation);
      mode.layout = rotation++ % 2 ? "dense" : "tcgen05";
      module += mode.text();
    }
  Module compiled = compileForDevice(module);
  int number = 0;
  for (const KernelAbi &abi : compiled.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    for (Shape shape : kShapes)
      CHECK(check(compiled.kernel(abi.name), shape) == "");
  }
}

void checkTiles(Mode mode) {
  int number = 0;
  for (const char *tile : kTiles) {
    std::string module;
    for (const char *input : {"bf16", "f32"}) {
      mode.input = input, mode.name = std::string("of_") + input;
      mode.layout = mode.input == "f32" ? "dense" : "tcgen05";
      module += mode.text();
    }
    Module compiled = compileForDevice(module, tile);
    for (const KernelAbi &abi : compiled.abi().kernels) {
      if (isLeftToOthers(number++)) continue;
      CHECK(check(compiled.kernel(abi.name), kFewShapes[0], tile) == "");
      for (Shape shape : kFewShapes)
        CHECK(check(compiled.kernel(abi.name), shape) == "");
    }
  }
}

// An exact one, after which rows' ends are zeros again, and one within the tolerance.
void checkPrologues(Mode mode) {
  int number = 0;
  for (const char *prologue : {"  %c = arith.constant 1.5 : f32\n  %y = arith.addf %a, %c : f32\n",
                               "  %c = arith.constant 1.0 : f32\n  %e = math.exp %a fastmath<afn> : f32\n"
                               "  %d = arith.addf %e, %c : f32\n"
                               "  %y = arith.divf %a, %d fastmath<afn> : f32\n"}) {
    mode.prologue = prologue;
    const Prologue evaluated = Prologue::parse(mode.text()).value();
    for (const char *tile : {"", "rows_per_warp = 4", "rows_per_warp = 1, access = element"}) {
      if (isLeftToOthers(number++)) continue;
      const Kernel kernel = compileForDevice(mode.text(), tile).kernel();
      for (Shape shape : {Shape{127, 34}, Shape{130, 264}, Shape{33, 1024}})
        CHECK(check(kernel, shape, {}, {}, &evaluated) == "");
    }
  }
}

void checkGroups(Mode mode) {
  std::string module;
  for (const char *align : {"1", "128"}) {
    mode.align = align, mode.name = std::string("align_") + align;
    module += mode.text();
  }
  Module compiled = compileForDevice(module);
  const std::vector<int32_t> ends[] = {{0, 5, 5, 140, 150}, {100, 100, 130, 260, 390}};
  for (int64_t columns : {96, 34}) {
    const std::vector<std::byte> x = matrixData(FloatType::BF16, 50, columns, 3);
    std::vector<int32_t> index(400);
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = int32_t(i * 7 % 51) - 1;
    const float tensorScale = 0.01f;
    for (const auto &[name, of] : {std::pair("align_1", ends[0]), std::pair("align_128", ends[1])}) {
      const Kernel kernel = compiled.kernel(name);
      RunCase run = caseOf(kernel, x, {400, columns}, tensorScale);
      run.inputs.insert({"ends", bytesOf(of)}), run.inputs.insert({"index", bytesOf(index)});
      run.dimensions["N"] = 50, run.dimensions["G"] = int64_t(of.size());
      CHECK(runChecked(kernel, run).failure == "");
    }
  }
}

const Mode kRandomModes[] = {{.isRandom = true}, {.isNvfp4 = true, .isRandom = true}};

} // namespace

TEST_CASE("random bits: inputs x special modes x layouts", "[small][simulated]") {
  for (const Mode &mode : kRandomModes)
    checkInputs(mode);
}

TEST_CASE("random bits: forced tiles", "[small][simulated]") {
  for (const Mode &mode : kRandomModes)
    checkTiles(mode);
}

TEST_CASE("random bits: groups and gathered rows", "[small][simulated]") {
  for (const Mode &mode : kRandomModes)
    checkGroups(mode);
}

TEST_CASE("random bits: prologues", "[small][simulated]") {
  for (const Mode &mode : kRandomModes)
    checkPrologues(mode);
}

TEST_CASE("random bits: strided rows and odd addresses", "[small][simulated]") {
  Mode mode = kRandomModes[0];
  mode.strides = "?";
  Kernel kernel = compileForDevice(mode.text()).kernel();
  CHECK(check(kernel, {129, 256}, "access = vector", {{"x", {264, 0}}, {"q", {264, 0}}}) == "");
  CHECK(check(kernel, {129, 256}, "access = element", {{"x", {257, 1}}, {"q", {264, 6}}}) == "");
}

// Every magnitude below a block's largest, in rows with different bits.
TEST_CASE("random bits: every bf16 below a block's largest", "[small][simulated]") {
  for (const Mode &mode : kRandomModes) {
    const Kernel kernel = compileForDevice(mode.text()).kernel();
    const float tensorScale = 0.37f;
    for (uint16_t largest : {0x40C0, 0x40A0}) { // 6, 5
      std::vector<uint16_t> x;
      for (int i = 0; i <= largest; ++i) {
        if (x.size() % 16 == 0) x.push_back(largest);
        x.push_back(uint16_t(i % 2 ? i | 0x8000 : i));
      }
      const int64_t columns = 1024, rows = int64_t(x.size()) / columns + 1;
      x.resize(size_t(rows * columns));
      const RunCase run = caseOf(kernel, bytesOf(x), {rows, columns}, tensorScale);
      CHECK(runChecked(kernel, run).failure == "");
    }
  }
}

TEST_CASE("random bits: seed and offset decide, and nothing else", "[small][simulated]") {
  const Kernel kernel = compileForDevice(kRandomModes[0].text()).kernel();
  const std::vector<std::byte> x = matrixData(FloatType::BF16, 64, 128, 5, /*finite=*/true);
  auto codes = [&](int64_t seed, int64_t offset) {
    const std::array<int64_t, 2> random = {seed, offset};
    const float none = 1;
    RunOutcome outcome = runChecked(kernel, caseOf(kernel, x, {64, 128}, none, random));
    CHECK(outcome.failure == "");
    return outcome.outputs.at("q");
  };
  const auto first = codes(1, 2);
  CHECK(codes(1, 2) == first);
  for (auto [seed, offset] :
       {std::pair<int64_t, int64_t>{2, 2}, {1, 3}, {1ll << 32 | 1, 2}, {1, 1ll << 32 | 2}})
    CHECK(codes(seed, offset) != first);
}

const Mode kHadamardModes[] = {{.clauses = "hadamard = 16"},
                               {.isNvfp4 = true, .clauses = "hadamard = 16"},
                               {.isNvfp4 = true, .isRandom = true, .clauses = "hadamard = 16"}};

TEST_CASE("hadamard: inputs x special modes x layouts", "[small][simulated]") {
  for (const Mode &mode : kHadamardModes)
    checkInputs(mode);
}

TEST_CASE("hadamard: forced tiles", "[small][simulated]") {
  for (const Mode &mode : kHadamardModes)
    checkTiles(mode);
}

TEST_CASE("hadamard: prologues", "[small][simulated]") {
  for (const Mode &mode : kHadamardModes)
    checkPrologues(mode);
}

TEST_CASE("hadamard: groups and gathered rows", "[small][simulated]") { checkGroups(kHadamardModes[1]); }

const Mode kFourOverSix[] = {{.isNvfp4 = true, .clauses = "four_over_six = mse"},
                             {.isNvfp4 = true, .clauses = "hadamard = 16 four_over_six = mse"}};

TEST_CASE("four over six: inputs x special modes x layouts", "[small][simulated]") {
  for (const Mode &mode : kFourOverSix)
    checkInputs(mode);
}

TEST_CASE("four over six: forced tiles", "[small][simulated]") {
  for (const Mode &mode : kFourOverSix)
    checkTiles(mode);
}

TEST_CASE("four over six: prologues", "[small][simulated]") {
  for (const Mode &mode : kFourOverSix)
    checkPrologues(mode);
}

TEST_CASE("four over six: groups and gathered rows", "[small][simulated]") { checkGroups(kFourOverSix[0]); }
