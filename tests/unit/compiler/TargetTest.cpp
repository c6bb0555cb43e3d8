// Every tile that a chip's file names is one that compiles for it.
#include "compiler/targets/Target.h"
#include "compiler/Compiler.h"
#include "tests/unit/compiler/TileText.h"

#include <catch2/catch.hpp>

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

TEST_CASE("targets: names are found, others are not") {
  CHECK(targetNamed("sm_100a")->computeMajor == 10);
  CHECK(targetNamed("sm_90") == nullptr);
  CHECK(targetNamed("") == nullptr);
}
