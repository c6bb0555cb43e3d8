// Tiles of products: the model's law, what it chooses, what a tuner is offered and why not the rest.
#include "tests/unit/compiler/MatmulTiles.h"
#include "compiler/Compiler.h"
#include "compiler/abi/ShapeExpression.h"

#include <catch2/catch.hpp>

using namespace mxc;
using Catch::Matchers::Contains;

// Four instructions of 32 along K, each max(N / 2, operand bytes / 128) cycles: measured for mxf8 on a pair
// of 256 x 256 at 128.0 each.
TEST_CASE("model: the tensor core's cycles are the published law's") {
  auto pair = [](int n) { return "#mx.matmul_tile<m = 256, ctas = 2, n = " + std::to_string(n) + ">"; };
  auto one = [](int n) { return "#mx.matmul_tile<n = " + std::to_string(n) + ">"; };
  CHECK(modelledStep(pair(256), "sm_100a") == 512);
  CHECK(modelledStep(pair(128), "sm_100a") == 256);
  CHECK(modelledStep(pair(64), "sm_100a") == 160); // its operands are read longer than it multiplies
  CHECK(modelledStep(one(256), "sm_100a") == 512);
  CHECK(modelledStep(one(128), "sm_100a") == 256);
  CHECK(modelledStep(one(64), "sm_100a") == 192);
  // Eight instructions of 48 bytes: as long as those of 32 (docs/model.md).
  CHECK(modelledStep("#mx.matmul_tile<m = 256, n = 256, ctas = 2, mma_k = 96>", "sm_103a", true) == 1024);
  CHECK(modelledStep("#mx.matmul_tile<n = 128, mma_k = 96>", "sm_103a", true) ==
        768); // operands are read longer
}

static const MatmulTiles::Default &launched(const MatmulTiles &tiles, int64_t m, int64_t n, int64_t k,
                                            int64_t sms) {
  for (const MatmulTiles::Default &tile : tiles.defaults)
    if (tile.when.empty() ||
        ShapeExpression(tile.when).evaluate({{"M", m}, {"N", n}, {"K", k}, {"SMs", sms}}))
      return tile;
  throw std::logic_error("no tile without a condition");
}

TEST_CASE("default tiles: the launch conditions choose what the model finds best") {
  MatmulTiles tiles = matmulTiles("?", "?", "?", "sm_100a");
  REQUIRE(tiles.defaults.size() == 6); // four widths, slices, and rows that no tensor map writes
  struct Case {
    int64_t m, n, k;
    int width, slices = 1;
  };
  for (Case c : {Case{8192, 8192, 8192, 256},
                 {16384, 16384, 16384, 256},
                 {131072, 2048, 7168, 256},
                 {4096, 1536, 7168, 192},
                 {512, 4096, 7168, 128},
                 {1024, 1024, 1024, 64},
                 {128, 2048, 7168, 128, 4},
                 {16, 2048, 16384, 128, 4}}) {
    INFO(c.m << " x " << c.n << " x " << c.k);
    const MatmulTiles::Default &chosen = launched(tiles, c.m, c.n, c.k, 148);
    CHECK(chosen.n == c.width);
    CHECK(chosen.slices == c.slices);
    double best = 1e30;
    for (size_t i = 0; i + 1 < tiles.defaults.size(); ++i)
      best = std::min(best, modelledMicros(tiles.defaults[i].tile, "sm_100a", c.m, c.n, c.k));
    CHECK(modelledMicros(chosen.tile, "sm_100a", c.m, c.n, c.k) <= 1.03 * best);
  }
  launched(tiles, 8192, 8192, 8192, 1); // no division by the pairs that one multiprocessor does not make
}

// Large products of elements of 4 bits on sm_90a copy b alone, or both where a is so many times read; a tuner
// is offered both, and no tile of elements of 8 bits alone.
TEST_CASE("default tiles: of 4 bits on sm_90a a is in flight where tiles fill the chip") {
  const MatmulTiles tiles = matmulTiles("?", "?", "?", "sm_90a", /*isFourBits=*/true);
  auto isInFlight = [&](int64_t m, int64_t n) {
    return Contains("a = in_flight").match(launched(tiles, m, n, 4096, 132).tile);
  };
  CHECK(isInFlight(4096, 4096));
  CHECK(isInFlight(8192, 8192));
  CHECK(isInFlight(131072, 2048));
  CHECK_FALSE(isInFlight(16384, 16384));
  CHECK_FALSE(isInFlight(1024, 2048));
  bool isOffered = false;
  for (const MatmulTiles::Choice &choice : tiles.choices) {
    if (Contains("in_flight").match(choice.tile) && choice.refusal.empty()) isOffered = true;
    if (Contains("swap_tile").match(choice.tile)) CHECK_THAT(choice.refusal, Contains("8 bits"));
  }
  CHECK(isOffered);
}

// A step of 768 costs eight instructions however much of it there is, its copies what is there.
TEST_CASE("default tiles: instructions of 96 elements where their steps waste no more than copies take") {
  const MatmulTiles tiles = matmulTiles("?", "?", "?", "sm_103a", /*isFourBits=*/true);
  REQUIRE(tiles.defaults.size() == 7);
  auto isWide = [&](int64_t m, int64_t n, int64_t k) {
    return launched(tiles, m, n, k, 148).tile.find("mma_k = 96") != std::string::npos;
  };
  for (int64_t k : {512, 768, 2304, 4096, 7168, 8192, 16384})
    CHECK(isWide(16384, 16384, k));
  for (int64_t k : {32, 256})
    CHECK_FALSE(isWide(16384, 16384, k));
  CHECK_FALSE(isWide(16, 2048, 16384)); // other tiles' shapes
  CHECK_FALSE(isWide(1024, 1024, 7168));
  for (const char *target : {"sm_100a", "sm_100f"})
    for (const MatmulTiles::Default &tile : matmulTiles("?", "?", "?", target, true).defaults)
      CHECK(tile.tile.find("mma_k") == std::string::npos);
  for (const MatmulTiles::Default &tile : matmulTiles("?", "?", "?", "sm_103a").defaults)
    CHECK(tile.tile.find("mma_k") == std::string::npos); // elements of 8 bits
}

TEST_CASE("tile choices: of instructions of 96 elements candidates compile, the others say why not") {
  const MatmulTiles tiles = matmulTiles("?", "?", "?", "sm_103a", /*isFourBits=*/true);
  size_t candidates = 0, listed = 0;
  for (const MatmulTiles::Choice &choice : tiles.choices) {
    if (choice.tile.find("mma_k = 96") == std::string::npos) continue;
    INFO(choice.tile << ": " << choice.refusal);
    ++listed;
    if (!choice.refusal.empty()) continue;
    ++candidates;
    const size_t open = choice.tile.find('<');
    CompileOptions options;
    options.stage = Stage::Tile, options.targets = {"sm_103a"};
    options.tile = choice.tile.substr(open + 1, choice.tile.size() - open - 2);
    const char *const source = R"(!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @k(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xbf16>)
})";
    CHECK_NOTHROW(compile(source, "test.mlir", options));
  }
  CHECK(listed == 9);
  CHECK(candidates >= 3);
}

TEST_CASE("tile choices: candidates compile, the others say why not") {
  MatmulTiles tiles = matmulTiles("?", "?", "?", "sm_100a");
  size_t candidates = 0;
  for (const MatmulTiles::Choice &choice : tiles.choices) {
    INFO(choice.tile << ": " << choice.refusal);
    if (!choice.refusal.empty()) continue;
    ++candidates;
    size_t open = choice.tile.find('<');
    CompileOptions options;
    options.stage = Stage::Tile;
    options.tile = choice.tile.substr(open + 1, choice.tile.size() - open - 2);
    const char *const source = R"(#s = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #s>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #s>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #s>, memref<?x?xf8E4M3FN>,
                memref<?x?xf8E8M0FNU, #s>) outs(%c : memref<?x?xbf16>)
})";
    CHECK_NOTHROW(compile(source, "test.mlir", options));
  }
  CHECK(candidates >= 6);
  // clusters and widths, cluster launch control, slices, a counter, which is for groups
  CHECK(tiles.choices.size() == 16 + 4 + 12 + 2);
}

TEST_CASE("tile choices: of known extents only what may be the best is tried") {
  MatmulTiles tiles = matmulTiles("8192", "8192", "8192", "sm_100a");
  size_t candidates = 0;
  for (const MatmulTiles::Choice &choice : tiles.choices)
    if (choice.refusal.empty())
      ++candidates;
    else
      CHECK_THAT(choice.refusal,
                 Contains("times the best tile's modelled time, at 8192 x 8192 x 8192") ||
                     Contains("no use for 2 buffers") || Contains("bytes of shared memory") ||
                     Contains("has scheduler = counter, and all tiles of a product without groups"));
  CHECK(candidates >= 2);
  CHECK(candidates <= 8);
}
