// The tuner on simulated chips.
#include "runtime/tune/Tuner.h"
#include "runtime/jit/Engine.h"
#include "runtime/tune/SimulatorCounts.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/ThreadLimit.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using namespace mxc::tune;
using Catch::Contains;

static std::string source(const std::string &options) {
  return "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
         "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
         "memref<?x?xf8E8M0FNU>)" +
         options + "\n}\n";
}

static const Device &chip() {
  static const Device device = openDevice("simulator:sm_90a");
  return device;
}

static TunerOptions counting() {
  TunerOptions options;
  options.takeCounts = countsOfSimulator("sm_90a");
  return options;
}

static CandidateOptions uncached() {
  CandidateOptions options;
  options.cache.reset();
  return options;
}

static const Dimensions kShapes[] = {{{"M", 64}, {"K", 256}}};

TEST_CASE("tuner: every tile of the chip is checked and counted, and one is chosen", "[tune]") {
  size_t compiled = 0;
  CandidateOptions options = uncached();
  options.progress = [&](size_t done, size_t) { compiled = done; };
  const Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "", options);
  CHECK(compiled == candidates.all.size());
  const Tuning tuning = tune::tune(chip(), candidates, kShapes, counting());
  REQUIRE(tuning.shapes.size() == 1);
  size_t chosen = 0, untuned = 0;
  double best = 1e30, bestUntuned = 0, ofChosen = 0;
  for (const Trial &trial : tuning.shapes[0].trials) {
    INFO(trial.refusal);
    CHECK(trial.refusal.empty());
    CHECK((trial.counts.sectors > 64 * 256 * 2 / 32 && trial.counts.instructions > 0));
    best = std::min(best, trial.score);
    if (trial.isChosen) ++chosen, ofChosen = trial.score;
    if (trial.isUntuned) ++untuned, bestUntuned = trial.score;
  }
  CHECK((chosen == 1 && untuned == 1));
  CHECK((ofChosen == best || (ofChosen == bestUntuned && bestUntuned <= best * 1.0021)));
  REQUIRE(tuning.rows.size() == 1);
  CHECK(tuning.rows[0].key == tuningKey(candidates.text, chip()));
  CHECK(tuning.rows[0].choice.bucket == ShapeBucket::of(kShapes[0]));
  CHECK(tuning.rows[0].choice.measure == "counts");
}

TEST_CASE("tuner: a process that may have no threads compiles its candidates one after the other", "[tune]") {
  ChildProcess child([] {
    if (!limitThreads(1)) return 2;
    CandidateOptions options = uncached();
    options.threads = 4;
    const Device device = openDevice("simulator:sm_90a");
    const Candidates candidates = candidatesOf(device, source(""), "k.mlir", "", options);
    return std::ranges::all_of(candidates.all, &std::string::empty, &Candidate::refusal) ? 0 : 1;
  });
  CHECK(child.wait(std::chrono::minutes(2)) == 0);
}

TEST_CASE("tuner: rows in groups leave bytes that are nobody's", "[tune]") {
  constexpr const char *kGroups =
      "mx.kernel @k(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, "
      "%s: memref<?x?xf8E8M0FNU>) {\n"
      "  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)\n"
      "      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) align = 1\n}\n";
  const Candidates candidates = candidatesOf(chip(), kGroups, "k.mlir", "", uncached());
  const Dimensions shapes[] = {{{"M", 100}, {"K", 64}, {"G", 3}}};
  const Tuning tuning = tune::tune(chip(), candidates, shapes, counting());
  for (const Trial &trial : tuning.shapes.at(0).trials)
    CHECK(trial.refusal == "");
}

/// Candidates of one kernel, the first of them computing what another kernel does, at no cost.
static Tuning tuneWithWrongOne(const std::string &wrong) {
  Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "", uncached());
  EngineOptions engine;
  engine.cache.reset();
  candidates.all[0].kernel =
      Engine(chip(), engine).load(wrong, "wrong.mlir", candidates.all[0].tile).kernel();
  TunerOptions options = counting();
  auto real = options.takeCounts;
  options.takeCounts = [real, call = 0]() mutable {
    LaunchCounts counts = real();
    if (++call == 2) counts = {1, 1, 0}; // of the first candidate: the fastest by far
    return counts;
  };
  return tune::tune(chip(), candidates, kShapes, options);
}

TEST_CASE("tuner: a candidate that computes something else never wins", "[tune]") {
  for (const char *options : {" rounding = floor", " rounding = even"}) {
    const Tuning tuning = tuneWithWrongOne(source(options));
    const Trial &wrong = tuning.shapes[0].trials[0];
    CHECK(wrong.score < 0.001);
    CHECK_THAT(wrong.refusal, Contains("bytes of 'q' differ from the untuned kernel's"));
    CHECK_FALSE(wrong.isChosen);
    CHECK(tuning.rows.size() == 1);
    CHECK_FALSE(tuning.rows[0].choice.tile.empty());
  }
  CHECK(tuneWithWrongOne(source("")).shapes[0].trials[0].isChosen); // it is the score that it would win by
}

static std::string product(const std::string &reduction, const std::string &region) {
  const std::string operand = "memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>";
  return "#scales = #mx.scale_layout<tcgen05>\n"
         "mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: "
         "memref<?x?xf8E4M3FN>, "
         "%sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {\n"
         "  mx.matmul ins(%a, %sa, %b, %sb : " +
         operand + ", " + operand + ") outs(%c : memref<?x?xbf16>) reduction = " + reduction + region +
         "\n}\n";
}

/// What the tuner says of a product by another tile than the untuned one, with `region` after it.
static std::string refusalOfProduct(const std::string &reduction, const std::string &region) {
  EngineOptions engine;
  engine.cache.reset();
  Candidates candidates{"k", product(reduction, ""), {}, {}};
  candidates.untuned = Engine(chip(), engine).load(product(reduction, ""), "k.mlir").kernel();
  const std::string tile =
      "#mx.matmul_tile<m = 128, n = 128, stages = 6, ctas = 1, supergroup = 8, buffers = 2, load = tensor, "
      "store = tensor, slices = 1, scheduler = static>";
  candidates.all.push_back({tile, "auto", ""});
  candidates.all[0].kernel = Engine(chip(), engine).load(product(reduction, region), "w.mlir", tile).kernel();
  const Dimensions shapes[] = {{{"M", 32}, {"N", 128}, {"K", 128}}};
  return tune::tune(chip(), candidates, shapes, counting()).shapes[0].trials[0].refusal;
}

TEST_CASE("tuner: a product's sums may differ by the contract's bound and no more", "[tune]") {
  CHECK(refusalOfProduct("any", "").empty()); // split over K by one of them: some bytes differ
  const std::string off = " {\n  ^bb0(%acc: f32):\n    %f = arith.constant 1.1 : f32\n"
                          "    %r = arith.mulf %acc, %f : f32\n    mx.yield %r : f32\n  }";
  CHECK_THAT(refusalOfProduct("any", off), Contains("by more than the bound of a product"));
  CHECK(refusalOfProduct("sequential", "").empty());
  CHECK_THAT(refusalOfProduct("sequential", off), Contains("differ from the untuned kernel's"));
}

TEST_CASE("tuner: shapes of one bucket have one choice, and of two buckets two", "[tune]") {
  const Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "k", uncached());
  const Dimensions shapes[] = {{{"M", 33}, {"K", 128}}, {{"M", 64}, {"K", 96}}, {{"M", 65}, {"K", 96}}};
  const Tuning tuning = tune::tune(chip(), candidates, shapes, counting());
  REQUIRE(tuning.rows.size() == 2);
  CHECK(tuning.rows[0].choice.shape == "K = 128, M = 33; K = 96, M = 64");
  for (size_t i = 0; i < candidates.all.size(); ++i)
    CHECK(tuning.shapes[0].trials[i].isChosen == tuning.shapes[1].trials[i].isChosen);
}

TEST_CASE("tuner: a tile that does not take the shape is refused there", "[tune]") {
  const Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "", uncached());
  const Dimensions shapes[] = {{{"M", 64}, {"K", 33}}}; // no multiple of any lane's elements
  const Tuning tuning = tune::tune(chip(), candidates, shapes, counting());
  for (const Trial &trial : tuning.shapes[0].trials)
    CHECK(trial.refusal == "does not take this shape");
  CHECK(tuning.rows.empty());
}

TEST_CASE("tuner: what cannot be tuned says why", "[tune]") {
  CHECK_THAT(invalidInput([] {
               candidatesOf(chip(), source(" tiles = [#mx.quantize_tile<warps = 4>]"), "k.mlir", "",
                            uncached());
             }),
             Contains("the tiles of kernel 'k' are written in it"));
  CHECK_THAT(invalidInput([] { candidatesOf(chip(), source(""), "k.mlir", "other", uncached()); }),
             Contains("holds no kernel 'other', but k"));
  const Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "", uncached());
  CHECK_THAT(failure(ErrorKind::Usage, [&] { tune::tune(chip(), candidates, kShapes); }),
             Contains("keeps no time of its own"));
  const Dimensions nothing[] = {{{"M", 0}, {"K", 32}}};
  CHECK_THAT(invalidInput([&] { tune::tune(chip(), candidates, nothing, counting()); }),
             Contains("there is nothing to tune"));
}

TEST_CASE("tuner: a shape's choice is known when it ends, whatever becomes of the next one", "[tune]") {
  const Candidates candidates = candidatesOf(chip(), source(""), "k.mlir", "k", uncached());
  const Dimensions shapes[] = {{{"M", 33}, {"K", 128}}, {{"M", 64}, {"K", 96}}, {{"M", 65}, {"K", 96}}};
  std::vector<std::string> ended;
  struct Interrupted {};
  TunerOptions options = counting();
  options.shapeEnded = [&](std::span<const TunedRow> rows) {
    REQUIRE(rows.size() == 1);
    ended.push_back(rows[0].choice.shape);
    if (ended.size() == 2) throw Interrupted();
  };
  CHECK_THROWS_AS(tune::tune(chip(), candidates, shapes, options), Interrupted);
  CHECK(ended == std::vector<std::string>{"K = 128, M = 33", "K = 128, M = 33; K = 96, M = 64"});
}
