// From choices to what is compiled and launched.
#include "runtime/jit/TunedTiles.h"
#include "compiler/TileListing.h"
#include "runtime/device/Stream.h"
#include "runtime/jit/Engine.h"
#include "runtime/launch/GuardedArguments.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

using namespace mxc;
using Catch::Contains;

static TunedChoice choice(int64_t m, const std::string &tile, double score = 1, int64_t seconds = 1,
                          const std::string &build = "build", const std::string &assembler = "auto") {
  return {ShapeBucket::of({{"M", m}}), build, assembler, tile, "", "microseconds", score, seconds};
}
static TunedTiles tilesOf(std::vector<TunedChoice> choices) {
  const std::pair<std::string, std::vector<TunedChoice>> kernels[] = {{"k", std::move(choices)}};
  return tunedTiles(kernels, "build");
}

TEST_CASE("tuned tiles: buckets that one tile won are one entry", "[tuning]") {
  const TunedTiles tiles = tilesOf({choice(4, "warps = 4"), choice(8, "warps = 8"), choice(2, "warps = 4")});
  REQUIRE(tiles.tiles.size() == 2);
  CHECK(tiles.tiles[0].tile == "warps = 4, when = \"M > 2 && M <= 4 || M > 1 && M <= 2\"");
  CHECK(tiles.tiles[1].tile == "warps = 8, when = \"M > 4 && M <= 8\"");
  CHECK(tiles.tiles[0].kernel == "k");
  CHECK(tilesOf({}).isNone());
  CHECK(tilesOf({choice(4, "")}).isNone()); // an operation without tiles
}

TEST_CASE("tuned tiles: this build's choice, else the newest", "[tuning]") {
  CHECK(tilesOf({choice(4, "warps = 1", 1, 9, "newer"), choice(4, "warps = 2", 1, 5)}).tiles[0].tile ==
        "warps = 2, when = \"M > 2 && M <= 4\"");
  CHECK_THAT(tilesOf({choice(4, "warps = 1", 1, 9, "a"), choice(4, "warps = 2", 1, 5, "b")}).tiles[0].tile,
             Contains("warps = 1"));
}

TEST_CASE("tuned tiles: conditions are put into whole attributes too", "[tuning]") {
  CHECK(withCondition("#mx.swap_tile<tokens = 16>", "M <= 16") ==
        "#mx.swap_tile<tokens = 16, when = \"M <= 16\">");
  CHECK(withCondition("warps = 4", "") == "warps = 4");
}

TEST_CASE("tuned tiles: hundreds of buckets stay an expression", "[tuning]") {
  std::vector<TunedChoice> choices;
  for (int m = 0; m < 20; ++m)
    for (int k = 0; k < 20; ++k) {
      choices.push_back(choice(1, "warps = 4"));
      choices.back().bucket = ShapeBucket::of({{"M", int64_t(1) << m}, {"K", int64_t(1) << k}});
    }
  const TunedTiles tiles = tilesOf(choices);
  REQUIRE(tiles.tiles.size() == 1);
  CHECK(tiles.tiles[0].tile.size() < 4096);
}

static const std::string kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

namespace {

/// An engine over a database of its own.
class TunedEngine {
public:
  TunedEngine() : database_(folder_.file("tuning.sqlite")) {
    options_.cache.reset();
    options_.tuning = database_;
    options_.warn = [this](const std::string &text) { warnings += text; };
  }
  void tune(const Dimensions &shape, const std::string &tile) {
    const TunedRow row[] = {{tuningKey(kernelTexts(kSource, "k.mlir").front().text, device_),
                             {ShapeBucket::of(shape), tuningBuild(), "auto", tile, "", "counts", 1, 1}}};
    REQUIRE(database_.store(row).empty());
  }
  Engine make() const { return Engine(device_, options_); }
  /// The tile that a shape is launched with, and whether all of its outputs are right.
  std::string tileAt(const Engine &engine, int64_t m, int64_t k) {
    const Kernel kernel = engine.load(kSource, "k.mlir").kernel();
    const std::vector<std::byte> ones(size_t(m * k) * 2, std::byte(0x3f));
    GuardedArguments arguments(kernel, {{"M", m}, {"K", k}}, {{"x", ones}});
    Stream stream(device_);
    const PreparedLaunch launch = kernel.prepare(arguments.arguments());
    launch.launch(stream);
    stream.synchronize();
    CHECK_FALSE(arguments.damage());
    const GuardedArguments::Outputs outputs = arguments.outputs();
    for (const auto &[name, bytes] : outputs)
      for (std::byte byte : bytes)
        if (byte != bytes.front()) return name + " is wrong";
    return launch.plan().variant->tile;
  }
  const TuningDatabase &database() const { return database_; }
  std::string warnings;

private:
  TemporaryFolder folder_;
  TuningDatabase database_;
  Device device_ = openDevice("simulator:sm_90a");
  EngineOptions options_;
};

} // namespace

TEST_CASE("tuned tiles: the engine launches them in their bucket, and the untuned ones outside", "[tuning]") {
  TunedEngine tuned;
  CHECK_THAT(tuned.tileAt(tuned.make(), 64, 256), Contains("warps = 4, rows_per_warp = 1"));
  CHECK(tuned.make().counts().tuned == 0);
  tuned.tune({{"M", 64}, {"K", 256}}, "warps = 2, rows_per_warp = 4");
  const Engine engine = tuned.make();
  CHECK_THAT(tuned.tileAt(engine, 64, 256), Contains("warps = 2, rows_per_warp = 4"));
  CHECK_THAT(tuned.tileAt(engine, 33, 136), Contains("warps = 2, rows_per_warp = 4"));
  CHECK_THAT(tuned.tileAt(engine, 65, 256), Contains("warps = 4, rows_per_warp = 1")); // another bucket
  CHECK_THAT(tuned.tileAt(engine, 33, 129), Contains("access = element")); // its bucket, but not its shape
  CHECK(engine.counts().tuned == 1);
  CHECK(tuned.warnings.empty());
}

TEST_CASE("tuned tiles: what the compiler refuses is told and not used", "[tuning]") {
  for (const char *tile : {"warps = 3", "what = ever", "#mx.nothing<>", "warps = 4, when = \"\"", "]]"}) {
    INFO(tile);
    TunedEngine tuned;
    tuned.tune({{"M", 64}, {"K", 256}}, tile);
    CHECK_THAT(tuned.tileAt(tuned.make(), 64, 256), Contains("warps = 4, rows_per_warp = 1"));
    CHECK_THAT(tuned.warnings, Contains("what was tuned for k.mlir is not used"));
  }
}

TEST_CASE("tuned tiles: a damaged database costs nothing but its choices", "[tuning]") {
  TunedEngine tuned;
  std::ofstream(tuned.database().file()) << std::string(5000, 'x');
  CHECK_THAT(tuned.tileAt(tuned.make(), 64, 256), Contains("warps = 4, rows_per_warp = 1"));
  CHECK_THAT(tuned.warnings, Contains("is damaged"));
}

TEST_CASE("tuned tiles: a tile that is asked for goes before, and so does what is written", "[tuning]") {
  TunedEngine tuned;
  tuned.tune({{"M", 64}, {"K", 256}}, "warps = 2");
  const Engine engine = tuned.make();
  CHECK_THAT(engine.load(kSource, "k.mlir", "warps = 16").kernel().abi().variants.front().tile,
             Contains("warps = 16"));
  CompileOptions options;
  options.stage = Stage::Mlir;
  options.preferredTiles = {{"k", "warps = 2"}, {"other", "warps = 1"}};
  std::string written = kSource;
  written.replace(written.find("\n}"), 0, " tiles = [#mx.quantize_tile<warps = 16>]");
  CHECK_THAT(compile(written, "k.mlir", options).output, !Contains("warps = 2"));
  CHECK_THAT(compile(kSource, "k.mlir", options).output,
             Contains("tiles = [#mx.quantize_tile<variant = direct, warps = 2, "));
}
