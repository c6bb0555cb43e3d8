// Whatever orders something in the kernels of mx.matmul is taken out in turn, for every kind of tile: the
// simulator's strict checks, or a wrong result, tell under some schedule.
#include "compiler/Compiler.h"
#include "tests/unit/mutation/Mutants.h"
#include "tests/unit/mutation/ProductRun.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

using namespace mxc;

namespace {

/// Two CTAs or one pair: several tiles each, and more steps of K than stages.
struct TileKind {
  const char *name, *tile;
  ProductShape shape;
  std::vector<const char *> redundant = {}; // lines that this kind could do without
};
const TileKind kTileKinds[] = {
    {"one CTA", "n = 64, stages = 2, buffers = 1", {256, 256, 256}},
    {"one CTA, two buffers", "n = 128, stages = 3", {256, 384, 512}},
    {"accumulators that overlap", "n = 256, stages = 2", {256, 512, 256}},
    {"pair", "m = 256, n = 64, ctas = 2, stages = 2", {512, 128, 256}},
    {"pair, accumulators that overlap", "m = 256, n = 256, ctas = 2, stages = 2", {512, 512, 256}},
    {"row stores", "n = 64, stages = 2, store = rows", {256, 256, 256}},
    {"slices", "n = 64, stages = 2, buffers = 1, slices = 2", {256, 128, 512}},
    {"pair, slices", "m = 256, n = 64, ctas = 2, stages = 2, slices = 2", {512, 128, 512}},
    // More than twice as many tiles of each CTA as the queue has records.
    {"tiles taken over", "n = 64, stages = 2, scheduler = clc", {512, 320, 256}},
    {"pair, tiles taken over", "m = 256, n = 64, ctas = 2, stages = 2, scheduler = clc", {512, 320, 256}},
    // And then as many numbers that no group has.
    {"tiles of groups, taken over",
     "n = 64, stages = 2, scheduler = clc",
     {2048, 192, 256, {100, 100, 300, 500}}},
    {"pair, tiles of groups, taken over",
     "m = 256, n = 64, ctas = 2, stages = 2, scheduler = clc",
     {2048, 128, 256, {100, 100, 300, 900}}},
    {"pair, tiles of groups, handed out",
     "m = 256, n = 64, ctas = 2, stages = 2, scheduler = counter",
     {1024, 128, 256, {100, 100, 300, 900}}},
    // No copy completes on its barriers, and every commit follows a fence.proxy.async of the role that
    // loads.
    {"element loads",
     "n = 64, stages = 2, load = element, store = rows",
     {256, 256, 256},
     {"fence.mbarrier_init"}},
};

// sm_103a: more steps of 768 than the operands' stages and the scales' have.
const TileKind kWideKinds[] = {
    {"instructions of 96 elements",
     "n = 128, stages = 6, buffers = 1, mma_k = 96",
     {.m = 256, .n = 384, .k = 2304, .isFourBits = true}},
    {"pair, instructions of 96 elements",
     "m = 256, n = 256, ctas = 2, stages = 6, buffers = 1, mma_k = 96",
     {.m = 512, .n = 256, .k = 3072, .isFourBits = true}},
};

// On sm_90a warps meet after reads, which are over when they are executed, before a stage is given
// back; and after each product they wait until one is under way and then until none is.
const TileKind kFewRows = {"few rows in two parts",
                           "#mx.swap_tile<parts = 2, stages = 2, token_stages = 3, code_stages = 2>",
                           {16, 128, 1792},
                           {"bar.warp.sync", "wgmma.wait_group"}};

// sm_90a too: rows are dequantized into global memory by warps of all CTAs, and read from there by bulk
// copies.
const TileKind kWarpgroups = {"warpgroups", "n = 64, stages = 2", {256, 128, 512}};

/// What tells others something that a right kernel need not wait for.
const char *const kHints[] = {
    "griddepcontrol.launch_dependents", // an earlier start of the next kernel
    "tcgen05.relinquish_alloc_permit",  // an earlier allocation by another CTA
};

/// What orders things that the simulator does not watch, or nothing: a line, and what stands beside it, or
/// what orders things before and after it.
struct Unwatched {
  const char *line, *beside;
  const char *tile = ""; // in tiles with this
};
const Unwatched kUnwatched[] = {
    // The lanes' accesses to global memory on either side of a count: tests/codegen/matmul-slices-order.mlir.
    {"bar.warp.sync", "atom.acq_rel.gpu"},
    // Reads of an answer in front of the asynchronous write of a later one: loads are over when they are
    // executed.
    {"bar.warp.sync", "ld.shared.v2.b64"},
    {"fence.proxy.async", "ld.shared.v2.b64"},
    // Reads of a record in front of the asynchronous stores of a later one, which the simulator takes for the
    // generic proxy's.
    {"fence.proxy.async", "mbarrier.try_wait; > bar.warp.sync; mbarrier.arrive;"},
    // At the end of a loop over records, for the assembler alone, which would take the warp's lanes for
    // parted
    // at the loop's head.
    {"bar.warp.sync", "> mbarrier.try_wait; fence.proxy.async.shared::cta; bar.warp.sync;"},
    {"bar.warp.sync", "> mbarrier.try_wait; bar.warp.sync; mbarrier.arrive;", "scheduler = clc"},
};

bool mayLack(const TileKind &kind, const Mutant &mutant) {
  auto isIn = [&](const char *text) { return mutant.removed.find(text) != std::string::npos; };
  auto isUnwatched = [&](const Unwatched &pair) {
    return isIn(pair.line) && std::string_view(kind.tile).find(pair.tile) != std::string_view::npos &&
           (mutant.around.find(pair.beside) != std::string::npos ||
            mutant.order.find(pair.beside) != std::string::npos);
  };
  return std::ranges::any_of(kHints, isIn) || std::ranges::any_of(kUnwatched, isUnwatched) ||
         std::ranges::any_of(kind.redundant, isIn);
}

/// The example with the kind's kernel.
std::string nameOf(const TileKind &kind) {
  return kind.shape.isFourBits ? "matmul_mxfp4" : kind.shape.rowEnds.empty() ? "matmul" : "grouped_matmul";
}

std::string productPtx(const std::string &target, const TileKind &kind) {
  const std::string name = nameOf(kind);
  std::ifstream file(MXC_SOURCE_DIR "/docs/examples/" + name + ".mlir");
  CompileOptions options;
  options.targets = {target}, options.stage = Stage::Ptx, options.tile = kind.tile;
  return compile(std::string(std::istreambuf_iterator<char>(file), {}), name, options).output;
}

bool isFound(const ProductRun &product, const Mutant &mutant, const std::vector<std::byte> &right) {
  std::vector<sim::Schedule> ways = schedules(40);
  return std::ranges::any_of(ways, [&](sim::Schedule schedule) {
    ProductRun::Outcome outcome = product.run(mutant.ptx, schedule);
    return !outcome.fault.empty() || outcome.result != right;
  });
}

void checkMutants(const std::string &target, const TileKind &kind) {
  INFO(target << ", " << kind.name << ": " << kind.tile);
  const std::string ptx = productPtx(target, kind);
  const ProductRun product(target, kind.shape, 0);
  const ProductRun::Outcome right = product.run(ptx, {sim::Schedule::Kind::Eager, 0});
  REQUIRE(right.fault == "");
  for (sim::Schedule schedule : schedules(4)) {
    ProductRun::Outcome again = product.run(ptx, schedule);
    INFO("schedule " << int(schedule.kind) << ", seed " << schedule.seed);
    REQUIRE(again.fault == "");
    REQUIRE(again.result == right.result);
  }
  std::vector<Mutant> mutants = mutantsOf(ptx, nameOf(kind));
  REQUIRE(mutants.size() > 30);
  for (const Mutant &mutant : mutants)
    if (!mayLack(kind, mutant)) {
      INFO("without " << mutant.removed);
      CHECK(isFound(product, mutant, right.result));
    }
}

} // namespace

TEST_CASE("products without one of the lines that order something") {
  // sm_103a's code is the same (tests/codegen/chips-that-share-code.test)
  checkMutants("sm_100a", GENERATE(from_range(std::begin(kTileKinds), std::end(kTileKinds))));
}

TEST_CASE("products by instructions of 96 elements without one of the lines that order something") {
  checkMutants("sm_103a", GENERATE(from_range(std::begin(kWideKinds), std::end(kWideKinds))));
}

TEST_CASE("products with few rows without one of the lines that order something") {
  checkMutants("sm_90a", kFewRows);
}

TEST_CASE("products on warpgroups without the order of what goes through global memory") {
  const std::string ptx = productPtx("sm_90a", kWarpgroups);
  const ProductRun product("sm_90a", kWarpgroups.shape, 0);
  const ProductRun::Outcome right = product.run(ptx, {sim::Schedule::Kind::Eager, 0});
  REQUIRE(right.fault == "");
  int releases = 0;
  for (const Mutant &mutant : relaxedMutantsOf(ptx, "matmul")) {
    INFO("without " << mutant.removed);
    if (mutant.removed.find("ld.acquire") != mutant.removed.npos)
      CHECK(isFound(product, mutant, right.result));
    if (mutant.removed.find("red.release") != mutant.removed.npos)
      releases += isFound(product, mutant, right.result);
  }
  CHECK(releases >= 2); // of three lines; whatever a warp publishes later stands for what it did before
}
