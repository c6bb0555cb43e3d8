// Products of blocks of 1x128 and 128x128 with f32 scales at FP8's full rate, whose bytes are the reference's
// whatever the tile.
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/BlockwiseData.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <span>

using namespace mxc;

namespace {

struct Product {
  int64_t m, n, k, batches = 1;
};

struct Source {
  std::string elementA = "f8E4M3FN", elementB = "f8E4M3FN", output = "bf16";
  bool isByRows = false; // b's scales are 1x128, too
  bool isBatched = false, hasBias = false;
  std::string clauses = "";

  std::string text() const {
    const std::string batch = isBatched ? "?x" : "", lines = ", #mx.scale_layout<mn_major>>";
    auto matrix = [&](const std::string &element) { return "memref<" + batch + "?x?x" + element; };
    const std::string a = matrix(elementA) + ">", sa = matrix("f32") + lines, b = matrix(elementB) + ">",
                      sb = matrix("f32") + (isByRows ? lines : ">"), c = matrix(output) + ">",
                      bias = "memref<" + batch + "1x?xf32>";
    std::string text = "mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb +
                       (hasBias ? ", %bias: " + bias : "") + ", %c: " + c +
                       ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b + ", " + sb +
                       ")" + (hasBias ? " with(%bias : " + bias + ")" : "") + " outs(%c : " + c +
                       ") block = 1x128 by " + (isByRows ? "1x128 " : "128x128 ") + clauses;
    if (hasBias)
      text += " {\n  ^bb0(%p: f32, %s: f32):\n    %y = arith.addf %p, %s : f32\n    mx.yield %y : f32\n  }";
    return text + "\n}\n";
  }
};

struct Operand {
  std::vector<std::byte> codes;
  std::vector<float> scales;

  Operand(const std::string &element, int64_t rows, const Product &p, ScaleLayout layout, int64_t blockRows,
          uint64_t seed, bool specials) {
    BlockwiseRandom random(seed, specials);
    const int64_t lines = (rows + blockRows - 1) / blockRows, blocks = (p.k + 127) / 128;
    codes = random.codes(element, p.batches * rows * p.k);
    scales = random.scales(p.batches * scaleCount(layout, lines, blocks));
  }

  void set(uint8_t code, float scale) {
    std::ranges::fill(codes, std::byte(code));
    std::ranges::fill(scales, scale);
  }
};

std::string check(const Kernel &kernel, const Source &source, const Product &p, bool specials,
                  bool vanishes = false) {
  const uint64_t seed = uint64_t(p.m * 7919 + p.n * 131 + p.k);
  Operand a(source.elementA, p.m, p, ScaleLayout::MnMajor, 1, seed, specials),
      b(source.elementB, p.n, p, source.isByRows ? ScaleLayout::MnMajor : ScaleLayout::Dense,
        source.isByRows ? 1 : 128, seed + 1, specials);
  if (vanishes) a.set(0x01, 0x1p-100f), b.set(0x81, 0x1p-49f);
  RunCase run;
  run.inputs = {{"a", a.codes},
                {"sa", std::as_bytes(std::span(a.scales))},
                {"b", b.codes},
                {"sb", std::as_bytes(std::span(b.scales))}};
  run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}};
  if (source.isBatched) run.dimensions["B"] = p.batches;
  const std::vector<std::byte> bias = matrixData(FloatType::F32, p.batches, p.n, 3, /*finite=*/true),
                               sum = matrixData(floatTypeNamed(source.output), p.batches * p.m, p.n, 4,
                                                /*finite=*/true);
  if (source.hasBias) run.inputs["bias"] = bias;
  if (source.clauses == "accumulate") run.inputs["c"] = sum;
  std::optional<Prologue> region;
  if (source.hasBias) run.prologue = &region.emplace(Prologue::parse(source.text()).value());
  const RunOutcome outcome = runChecked(kernel, run);
  if (outcome.failure.empty()) return "";
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " x" +
         std::to_string(p.batches) + " <" + outcome.tile + ">\n" + outcome.failure;
}

// The reference makes every bit of them.
const Product kProducts[] = {{1, 1, 1},       {16, 128, 256},   {96, 200, 96},   {130, 67, 200},
                             {33, 264, 416},  {0, 72, 64},      {72, 0, 64},     {72, 72, 0},
                             {300, 392, 144}, {200, 384, 1024}, {640, 512, 304}, {64, 1024, 2048}};

void checkAll(const Source &source, const std::string &tile, bool specials,
              std::span<const Product> products = kProducts) {
  INFO((tile.empty() ? "tiles of the heuristics" : tile) << "\n" << source.text());
  const Kernel kernel = compileForDevice(source.text(), tile).kernel();
  for (Product p : products) {
    if (isSimulated() && p.m * p.n * p.k > 20'000'000) continue;
    if (source.isBatched) p.batches = 3;
    CHECK(check(kernel, source, p, specials) == "");
  }
}

} // namespace

TEST_CASE("blockwise products: forced tiles have the reference's bytes", "[small]") {
  if (!onWarpgroups()) return;
  for (const char *tile :
       {"m = 192, n = 256, stages = 4, ctas = 2, share = a",
        "m = 192, n = 192, stages = 4, ctas = 2, buffers = 3, share = a",
        "m = 64, n = 192, stages = 8, ctas = 2, buffers = 1, share = a", "m = 128, n = 96, stages = 4",
        "m = 256, n = 256, stages = 3, ctas = 2, share = a", "m = 256, n = 192, stages = 4, ctas = 2",
        "n = 192, stages = 4, buffers = 1", "m = 192, n = 128, stages = 4",
        "m = 512, n = 128, stages = 3, ctas = 2", "m = 256, n = 128, stages = 3", "n = 64, supergroup = 1",
        "m = 64, n = 64, stages = 12, buffers = 1", "n = 128, stages = 4, load = element, store = rows"})
    for (bool specials : {false, true}) {
      checkAll({}, tile, specials);
      checkAll({.isByRows = true}, tile, specials);
    }
}

// A CTA has fewer rows than a warpgroup multiplies, or a stage several blocks of K, or a pair shares rows
// of a.
constexpr const char *kFewRows[] = {"m = 16, n = 8, stages = 3, store = rows",
                                    "m = 32, n = 32, stages = 3, ctas = 2, share = a, store = rows",
                                    "m = 48, n = 64, stages = 4, buffers = 1",
                                    "m = 96, n = 64, stages = 3, ctas = 2, share = a, store = rows",
                                    "m = 16, n = 256, stages = 4, ctas = 2, share = a",
                                    "m = 64, n = 32, stages = 2, store = rows",
                                    "m = 64, n = 128, stages = 4, ctas = 2, share = a",
                                    "m = 128, n = 32, stages = 3, ctas = 2, share = a, store = rows"};
constexpr Product kFewRowsProducts[] = {{1, 264, 1296}, {16, 136, 256}, {100, 72, 784}, {33, 8, 16}};

TEST_CASE("blockwise products: few rows", "[small]") {
  if (!onWarpgroups()) return;
  for (const char *tile : kFewRows)
    for (bool specials : {false, true}) {
      checkAll({.isBatched = true}, tile, specials, kFewRowsProducts);
      checkAll({.output = "f32", .isByRows = true, .hasBias = true, .clauses = "constant = b"}, tile,
               specials, kFewRowsProducts);
    }
}

TEST_CASE("blockwise products: few rows, one form each", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (const char *tile : {kFewRows[0], kFewRows[1], kFewRows[2]})
    checkAll({.clauses = "constant = b"}, tile, true, kFewRowsProducts);
  checkAll({.isByRows = true}, kFewRows[3], true, kFewRowsProducts);
}

// Products are negative and below f32's least number, so that sums are -0: blocks past K must leave them so.
TEST_CASE("blockwise products: a stage's blocks past K add nothing", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (bool isByRows : {false, true}) {
    const Source source{.output = "f32", .isByRows = isByRows};
    const Kernel kernel = compileForDevice(source.text(), kFewRows[0]).kernel();
    for (int64_t k : {128, 400})
      CHECK(check(kernel, source, {16, 24, k}, false, /*vanishes=*/true) == "");
  }
}

TEST_CASE("blockwise products: formats, results, epilogues, batches", "[small]") {
  if (!onWarpgroups()) return;
  checkAll({.elementA = "f8E5M2", .output = "f32"}, "", true);
  checkAll({.elementB = "f8E5M2", .output = "f16"}, "", false);
  checkAll({.elementA = "f8E5M2", .elementB = "f8E5M2", .clauses = "accumulate"}, "", false);
  checkAll({.output = "f32", .hasBias = true}, "", false);
  checkAll({.isByRows = true, .isBatched = true, .hasBias = true}, "", false);
  checkAll({.isBatched = true}, "", true);
  checkAll({.clauses = "reduction = sequential"}, "", true);
}

TEST_CASE("blockwise products: the heuristics' tiles", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (bool isByRows : {false, true}) {
    const Source source{.isByRows = isByRows};
    const Kernel kernel = compileForDevice(source.text()).kernel();
    for (const Product &p :
         {Product{1, 1, 1}, Product{16, 128, 256}, Product{130, 67, 200}, Product{300, 392, 144}})
      CHECK(check(kernel, source, p, true) == "");
  }
}

TEST_CASE("blockwise products: large", "[large]") {
  if (!onWarpgroups()) return;
  const Source source;
  const Kernel kernel = compileForDevice(source.text()).kernel();
  CHECK(check(kernel, source, {2000, 2056, 1040}, false) == "");
  CHECK(check(kernel, source, {1000, 1000, 1000}, true) == "");
}
