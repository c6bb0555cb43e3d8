// Every tile that a chip's file names is one that compiles for it.
#include "compiler/targets/Target.h"
#include "compiler/Compiler.h"
#include "compiler/abi/ShapeExpression.h"
#include "tests/unit/compiler/TileText.h"

#include <catch2/catch.hpp>

#include <charconv>
#include <map>

using namespace mxc;

static const char *const kQuantize =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
    "memref<?x?xf8E8M0FNU>)\n}\n";

/// The first chips of a major, and others whose tiles are not theirs: the others' code is the first's, line
/// by line (tests/unit/mutation/DefaultTilesTest.cpp).
static std::vector<const Target *> targetsOfOwnCode() {
  std::vector<const Target *> targets;
  for (const Target *target : allTargets())
    if (std::ranges::none_of(targets, [&](const Target *first) {
          return target->computeMajor == first->computeMajor &&
                 target->quantizeCandidates.data() == first->quantizeCandidates.data() &&
                 target->columnTiles.candidates.data() == first->columnTiles.candidates.data();
        }))
      targets.push_back(target);
  return targets;
}

TEST_CASE("targets: every candidate of every chip compiles to PTX, and is what is launched first") {
  for (const Target *target : targetsOfOwnCode())
    for (std::string_view candidate : target->quantizeCandidates) {
      INFO(target->name << " " << candidate);
      size_t open = candidate.find('<'), close = candidate.rfind('>');
      CompileOptions options;
      options.targets = {std::string(target->name)};
      options.stage = Stage::Ptx;
      options.tile = candidate.substr(open + 1, close - open - 1);
      if (options.tile.empty()) options.tile = "warps = 8"; // the default, written out
      CompileResult result = compile(kQuantize, "test.mlir", options);
      const KernelAbi &kernel = result.abis.front().kernels.front();
      CHECK(kernel.variants.size() == 2); // the tile, and what takes every shape
      CHECK(kernel.variants.front().tile == wholeTile(options.tile));
      CHECK(kernel.variants.back().tile == wholeTile("rows_per_warp = 1, access = element"));
    }
}

static const char *const kBoth =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, "
    "%qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, "
    "memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = both\n}\n";

TEST_CASE("targets: so does every candidate along both axes") {
  const std::string kind = "#mx.column_tile<";
  for (const Target *target : targetsOfOwnCode()) {
    std::string tiles; // of one kernel: what takes every shape is compiled once
    for (std::string_view candidate : target->columnTiles.candidates)
      tiles += (tiles.empty() ? "" : ", ") + std::string(candidate);
    std::string source = kBoth;
    source.insert(source.rfind("\n}"), " tiles = [" + tiles + "]");
    CompileOptions options;
    options.targets = {std::string(target->name)};
    options.stage = Stage::Ptx;
    INFO(target->name);
    CompileResult result = compile(source, "test.mlir", options);
    const std::vector<AbiVariant> &variants = result.abis.front().kernels.front().variants;
    REQUIRE(variants.size() == target->columnTiles.candidates.size() + 1); // and what takes every shape
    for (size_t i = 0; i + 1 < variants.size(); ++i) {
      const std::string_view candidate = target->columnTiles.candidates[i];
      const std::string load = candidate.find("direct") != candidate.npos ? "direct" : "bulk";
      CHECK(variants[i].tile.starts_with(kind + "load = " + load + ", "));
    }
    CHECK(variants.back().tile == kind + "load = element, columns = 128, store_bytes = 1, order = rows, "
                                         "cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 2>");
  }
}

/// "tokens" of "#mx.swap_tile<tokens = 16, ..>": 16; 0: it has none.
static int64_t memberOf(std::string_view tile, std::string_view name) {
  const std::string text = std::string(name) + " = ";
  const size_t at = tile.find(text);
  int64_t value = 0;
  if (at != tile.npos) std::from_chars(tile.data() + at + text.size(), tile.data() + tile.size(), value);
  return value;
}

static ShapeExpression conditionOf(std::string_view tile) {
  const size_t at = tile.find("when = \"");
  if (at == tile.npos) return 1;
  const std::string_view text = tile.substr(at + 8);
  std::string error;
  std::optional<ShapeExpression> parsed = ShapeExpression::parse(text.substr(0, text.find('"')), error);
  INFO(text << ": " << error);
  REQUIRE(parsed);
  return *parsed;
}

// A grid whose clusters do not all fit takes twice as long. What an H200 has at a time of clusters whose CTAs
// have a multiprocessor each, by cudaOccupancyMaxActiveClusters.
TEST_CASE("targets: CTAs that share K of few rows make clusters that fit sm_90a at one time") {
  const std::map<int64_t, int64_t> fitting = {{1, 132}, {2, 66}, {3, 39}, {4, 30}, {5, 22}, {6, 17}, {8, 15}};
  const Target &target = *targetNamed("sm_90a");
  std::vector<ShapeExpression> conditions;
  for (std::string_view tile : target.matmulTiles)
    conditions.push_back(conditionOf(tile));
  for (int64_t m : {1, 17, 48, 64, 96, 128, 192, 256, 384, 512, 768})
    for (int64_t n = 64; n <= 8448; n += 64)
      for (int64_t k : {4096, 8192}) {
        const Dimensions sizes = {{"M", m}, {"N", n}, {"K", k}, {"SMs", 132}};
        size_t i = 0;
        while (!conditions[i].evaluate(sizes))
          ++i;
        const std::string_view tile = target.matmulTiles[i];
        const int64_t splits = memberOf(tile, "splits"), tokens = memberOf(tile, "tokens"),
                      columns = memberOf(tile, "columns");
        if (splits < 3) continue; // others fill the chip
        INFO(m << "x" << n << "x" << k << ": " << tile);
        const int64_t clusters = (m + tokens - 1) / tokens * ((n + columns - 1) / columns);
        CHECK(clusters <= fitting.at(splits) * std::max<int64_t>(memberOf(tile, "ctas_per_sm"), 1));
      }
}

TEST_CASE("targets: parts are joined on sm_90a where a tile of few rows is launched, on tensor memory where "
          "none is") {
  const Target &hopper = *targetNamed("sm_90a");
  auto launched = [&](int64_t m, int64_t groups) {
    const Dimensions sizes = {{"M", m}, {"N", 4096}, {"K", 2048}, {"G", groups}, {"SMs", 132}};
    for (std::string_view tile : hopper.rowGroupTiles)
      if (conditionOf(tile).evaluate(sizes)) return tile;
    throw std::logic_error("no tile without a condition");
  };
  for (int64_t groups : {1, 8, 256})
    for (int64_t rows : {0, 1, 12, 13, 55, 56, 57, 64, 512}) {
      INFO(rows << " rows a group, " << groups << " groups");
      const bool isFew = launched(rows * groups, groups).starts_with("#mx.swap_tile");
      CHECK(joinsParts(hopper, rows * groups, groups, true) == isFew);
      CHECK_FALSE(joinsParts(hopper, rows * groups, groups, false));
      for (const char *name : {"sm_100a", "sm_103a", "sm_100f"})
        CHECK(joinsParts(*targetNamed(name), rows * groups, groups, true) == (rows > 56));
      CHECK_FALSE(joinsParts(*targetNamed("sm_120a"), rows * groups, groups, true));
    }
}

TEST_CASE("targets: names are found, others are not") {
  CHECK(targetNamed("sm_100a")->computeMajor == 10);
  CHECK(targetNamed("sm_90") == nullptr);
  CHECK(targetNamed("") == nullptr);
}
