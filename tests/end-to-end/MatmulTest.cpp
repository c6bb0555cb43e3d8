// Block-scaled products: every kind of tile of the device's target, shapes, formats and epilogues, against
// the product in f64 and the contract's bound.
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc;

namespace {

struct Product {
  int64_t m, n, k, batches = 1;
};

std::string text(const Product &p) {
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " x" +
         std::to_string(p.batches);
}

// Codes of every value but NaN and infinity, scales from tiny to huge among ordinary ones, their padding
// finite garbage; `specials`: some NaN and infinite elements, and NaN scales.
class Operand {
public:
  Operand(const std::string &element, const Product &p, int64_t rows, uint64_t seed, bool specials) {
    std::mt19937_64 random(seed);
    const uint32_t largest = element == "f8E4M3FN" ? 0x7E : 0x7B;
    codes_ = randomBytes(size_t(p.batches * rows * p.k), seed);
    for (std::byte &code : codes_)
      if ((uint32_t(code) & 0x7F) > largest && !(specials && random() % 4 == 0)) code &= std::byte{0xB7};
    const int64_t blocks = (p.k + 31) / 32, perBatch = scaleCount(ScaleLayout::Tcgen05, rows, blocks);
    for (int64_t i = 0; i < p.batches * perBatch; ++i) {
      const uint64_t draw = random();
      uint32_t byte = 118 + draw % 16;
      if (draw / 16 % 64 == 0) byte = draw / 1024 % 40;       // tiny: subnormal in f32
      if (draw / 16 % 64 == 1) byte = 134 + draw / 1024 % 20; // above what bits alone can be moved by
      scales_.push_back(std::byte(byte));
    }
    for (int64_t i = 0; specials && i < p.batches * rows * blocks; ++i) // not in the padding [P4]
      if (random() % 256 == 0)
        scales_[size_t(i / (rows * blocks) * perBatch +
                       scaleOffset(ScaleLayout::Tcgen05, i / blocks % rows, i % blocks, rows, blocks))] =
            std::byte{0xFF};
  }
  std::span<const std::byte> codes() const { return codes_; }
  std::span<const std::byte> scales() const { return scales_; }

private:
  std::vector<std::byte> codes_, scales_;
};

std::string check(const Kernel &kernel, const MatmulText &source, const Product &p, bool specials,
                  const std::string &expectedTile = {}) {
  const uint64_t seed = uint64_t(p.m * 7919 + p.n * 131 + p.k);
  Operand a(source.element, p, p.m, seed, specials),
      b(source.elementB.empty() ? source.element : source.elementB, p, p.n, seed + 1, specials);
  RunCase run;
  run.inputs = {{"a", a.codes()}, {"sa", a.scales()}, {"b", b.codes()}, {"sb", b.scales()}};
  run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}};
  if (source.isBatched) run.dimensions["B"] = p.batches;
  std::vector<std::byte> bias = matrixData(FloatType::BF16, p.batches, p.n, 3, /*finite=*/true),
                         sum = matrixData(floatTypeNamed(source.output), p.batches * p.m, p.n, 4,
                                          /*finite=*/true);
  if (source.hasBias) run.inputs["bias"] = bias;
  if (source.clauses == "accumulate") run.inputs["c"] = sum;
  std::optional<Prologue> region;
  if (source.hasBias) run.prologue = &region.emplace(Prologue::parse(source.text()).value());
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : text(p) + " <" + outcome.tile + ">\n" + outcome.failure;
}

std::vector<std::string> tiles() {
  if (onWarpgroups())
    return {
        "m = 256, n = 256, ctas = 2, stages = 4",
        "n = 256, stages = 4",
        "n = 128, stages = 6, buffers = 1",
        "n = 64, supergroup = 1",
        "n = 128, stages = 4, load = element, store = rows",
        "#mx.swap_tile<columns = 64, splits = 5, parts = 2, token_stages = 6>",
        "#mx.swap_tile<tokens = 16, parts = 2, stages = 2>",
        "#mx.swap_tile<tokens = 32, splits = 4, parts = 2, stages = 3>",
        "#mx.swap_tile<tokens = 64, stages = 5>",
        "#mx.swap_tile<tokens = 128, splits = 1, stages = 3, token_stages = 3, code_stages = 0>",
        "#mx.swap_tile<tokens = 128, splits = 6, stages = 4, token_stages = 3, code_stages = 2>",
        "#mx.swap_tile<tokens = 192, splits = 2, stages = 3, token_stages = 3, code_stages = 0>",
        "#mx.swap_tile<tokens = 256, stages = 2, token_stages = 3, code_stages = 0>",
        "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight>",
        "#mx.matmul_tile<n = 256, stages = 5, buffers = 2, a = in_flight>",
        "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = copied_alone, share = a>",
        "#mx.matmul_tile<stages = 4, supergroup = 1, buffers = 1, a = copied_alone>"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 3, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 4", "m = 256, n = 64, ctas = 2", "n = 128, buffers = 1",
          "n = 192, store = rows", "n = 64, load = element, store = rows"};
}

// The first are small enough for a simulator.
const Product kProducts[] = {{1, 1, 1},        {16, 128, 256},    {96, 200, 96},    {130, 67, 200},
                             {33, 264, 416},   {128, 128, 128},   {0, 72, 64},      {72, 0, 64},
                             {72, 72, 0},      {200, 384, 1024},  {384, 1024, 384}, {1024, 256, 200},
                             {64, 1024, 2048}, {1000, 1000, 1000}};

std::vector<Product> affordable() {
  std::vector<Product> some;
  for (const Product &p : kProducts)
    if (!isSimulated() || p.m * p.n * p.k < 4'000'000) some.push_back(p);
  return some;
}

void checkAll(const MatmulText &source, const std::string &tile, bool specials) {
  INFO((tile.empty() ? "tiles of the heuristics" : tile) << "\n" << source.text());
  Kernel kernel = compileForDevice(source.text(), tile).kernel();
  for (Product p : affordable()) {
    if (source.isBatched) p.batches = 3;
    CHECK(check(kernel, source, p, specials) == "");
  }
}

} // namespace

TEST_CASE("matmul: forced tiles", "[small]") {
  for (const std::string &tile : tiles())
    for (bool specials : {false, true})
      checkAll({}, tile, specials);
}

TEST_CASE("matmul: forced tiles of warps", "[small][simulated]") {
  if (!onWarps()) return;
  for (const std::string &tile : tiles())
    for (const char *output : {"bf16", "f32"}) {
      INFO(tile);
      const MatmulText source{.elementB = "f8E5M2", .output = output, .hasBias = true};
      Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const Product &p : {Product{130, 200, 272}, Product{33, 264, 416}, Product{72, 72, 0}})
        CHECK(check(kernel, source, p, true) == "");
    }
}

TEST_CASE("matmul: formats, results, epilogues, batches", "[small]") {
  checkAll({.element = "f8E5M2", .elementB = "f8E4M3FN", .output = "f32"}, "", true);
  checkAll({.elementB = "f8E5M2", .output = "f16"}, "", false);
  checkAll({.element = "f8E5M2", .clauses = "accumulate"}, "", false);
  checkAll({.output = "f32", .hasBias = true}, "", false);
  checkAll({.isBatched = true, .hasBias = true}, "", false);
  checkAll({.clauses = "reduction = sequential"}, "", true);
}

TEST_CASE("matmul: the heuristics' tiles", "[small][simulated][chip]") {
  Kernel kernel = compileForDevice(MatmulText().text()).kernel();
  for (const Product &p : {Product{1, 1, 1}, Product{16, 128, 256}, Product{130, 67, 200}})
    CHECK(check(kernel, {}, p, true) == "");
}

TEST_CASE("matmul: large", "[large]") {
  Kernel kernel = compileForDevice(MatmulText().text()).kernel();
  const std::string wide = onWarpgroups() ? "m = 256, n = 256" : "";
  CHECK(check(kernel, {}, {2048, 1536, 2048}, false) == "");
  CHECK(check(kernel, {}, {4096, 4096, 512}, false, wide) == "");
  CHECK(check(kernel, {}, {2000, 2056, 1040}, true) == "");
  CHECK(check(kernel, {}, {128, 2048, 7168}, false) == "");
}
