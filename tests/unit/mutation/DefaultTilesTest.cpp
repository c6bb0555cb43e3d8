// Whatever orders something in the default tiles of products is taken out in turn: the simulator's strict
// checks, or a wrong result, find it, or UnfoundMutants.def says why nothing can go wrong. Each run takes a
// sample, whose seed it prints; tools/dev/mutants takes all.
#include "compiler/Compiler.h"
#include "tests/unit/mutation/Mutants.h"
#include "tests/unit/mutation/ProductRun.h"
#include "tests/unit/simulator/OrderingLines.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace mxc;

namespace {

/// The tiles that have between them every line in every surrounding that the default tiles of a target have
/// (the test of surroundings). The shape gives each CTA or pair more tiles than accumulators, and more steps
/// of K than stages; what goes through global memory has two clusters.
struct DefaultTile {
  const char *target, *example, *members; // as --emit=mlir begins them
  const char *more;                       // members after those
  ProductShape shape;
  ProductShape small = {}, other = {}; // for what shows where roles have little to do
};
#define SWAP "swap_tile<columns = "
const DefaultTile kDefaultTiles[] = {
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 256, stages = 4",
     ", buffers = 2",
     {256, 512, 640},
     {256, 256, 64}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 256, n = 256, stages = 5, ctas = 2",
     ", buffers = 2, a = in_flight",
     {512, 256, 768},
     {512, 256, 256, {}, {}, 4}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 6",
     ", store = rows",
     {256, 256, 896},
     {256, 128, 64}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 4",
     ", buffers = 1, load = element, store = rows",
     {256, 256, 640},
     {256, 128, 64}},
    {"sm_90a",
     "matmul",
     SWAP "64, tokens = 16, splits = 8, parts = 2, stages = 4, token_stages = 2, code_stages = 3",
     ", ctas_per_sm = 2",
     {16, 64, 10240}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 16, splits = 1, parts = 2, stages = 2, token_stages = 3, code_stages = 3",
     "",
     {16, 256, 1280}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 64, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 2",
     "",
     {64, 256, 1280}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 96, splits = 6, parts = 1, stages = 4, token_stages = 3, code_stages = 2",
     "",
     {96, 128, 3840}},
    {"sm_90a",
     "matmul",
     SWAP "64, tokens = 96, splits = 2, parts = 2, stages = 4, token_stages = 2, code_stages = 0",
     "",
     {96, 128, 5120},
     {96, 256, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 96, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 0",
     "",
     {96, 256, 2560},
     {96, 512, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 192, splits = 2, parts = 1, stages = 3, token_stages = 3, code_stages = 0",
     "",
     {192, 256, 2048},
     {192, 512, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 192, splits = 1, parts = 1, stages = 3, token_stages = 3, code_stages = 0",
     "",
     {192, 256, 1280},
     {192, 512, 64}},
    {"sm_90a",
     "grouped_matmul",
     SWAP "128, tokens = 64, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 2",
     "",
     {256, 128, 768, {40, 40, 200}}},
    {"sm_90a",
     "grouped_matmul",
     "matmul_tile<m = 128, n = 256, stages = 5",
     ", buffers = 2, a = in_flight",
     {512, 256, 640, {100, 100, 500}},
     {256, 256, 64, {100, 200}},
     {256, 256, 256, {100, 200}}},
    {"sm_90a",
     "grouped_wgrad",
     "matmul_tile<m = 128, n = 256, stages = 5",
     ", buffers = 2, a = in_flight",
     {256, 256, 896, {}, {300, 300, 850}},
     {128, 256, 256, {}, {100, 200}}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 256, stages = 6, ctas = 2",
     ", buffers = 1",
     {512, 512, 896}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 192, stages = 7, ctas = 2",
     ", buffers = 1",
     {768, 192, 1024}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2",
     ", buffers = 1",
     {768, 128, 1152}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2",
     ", buffers = 1, slices = 4",
     {768, 128, 4608, {}, {}, 4}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 64, stages = 10, ctas = 2",
     ", buffers = 1",
     {768, 64, 1408}},
    {"sm_100a", "matmul", "matmul_tile<m = 128, n = 128, stages = 6", ", store = rows", {768, 128, 896}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 4",
     ", buffers = 1, load = element, store = rows",
     {768, 128, 640}},
    {"sm_100a",
     "grouped_matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2",
     ", buffers = 1",
     {1024, 128, 1152, {300, 300, 900}}},
    {"sm_100a",
     "grouped_wgrad",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2",
     ", buffers = 1",
     {256, 128, 2560, {}, {1250, 1250, 1400, 2500}}},
};
#undef SWAP

std::string nameOf(const DefaultTile &tile) {
  return std::string(tile.target) + " " + tile.example + " #mx." + tile.members + tile.more + ">";
}

/// Not every line of these has been seen to be found or listed: samples leave them out, [all] takes them.
const char *const kNotSampled[] = {
    "code_stages = 0",
    "sm_90a grouped_matmul #mx.matmul_tile<m = 128, n = 256",
    "#mx.swap_tile<columns = 128, tokens = 64, splits = 2",
    "sm_90a matmul #mx.matmul_tile<m = 128, n = 128, stages = 4",
};

struct Unfound {
  const char *tile, *line, *role, *beside, *after, *reason;
};
const Unfound kUnfound[] = {
#define UNFOUND(tile, line, role, beside, after, reason) {tile, line, role, beside, after, reason},
#include "tests/unit/mutation/UnfoundMutants.def"
};

const Unfound *unfoundOf(const DefaultTile &tile, const Mutant &mutant) {
  auto found = std::ranges::find_if(kUnfound, [&](const Unfound &unfound) {
    return nameOf(tile).find(unfound.tile) != std::string::npos &&
           mutant.removed.find(unfound.line) != std::string::npos &&
           mutant.around.find(unfound.beside) != std::string::npos && mutant.after.ends_with(unfound.after);
  });
  return found == std::end(kUnfound) ? nullptr : &*found;
}

std::string compiled(const std::string &example, const std::string &target, Stage stage,
                     const std::string &tile = {}) {
  std::ifstream file(MXC_EXAMPLES "/" + example + ".mlir");
  CompileOptions options;
  options.targets = {target}, options.stage = stage, options.tile = tile;
  return compile(std::string(std::istreambuf_iterator<char>(file), {}), example, options).output;
}

/// A tile, its PTX and what comes of it.
class TileRun {
public:
  explicit TileRun(const DefaultTile &tile)
      : tile_(tile), ptx_(compiled(tile.example, tile.target, Stage::Ptx,
                                   std::string("#mx.") + tile.members + tile.more + ">")) {
    for (const ProductShape &shape : {tile.small, tile.other, tile.shape}) {
      if (!shape.m) continue;
      ProductRun product(tile.target, shape, 0);
      ProductRun::Outcome right = product.run(ptx_, {sim::Schedule::Kind::Eager, 0});
      REQUIRE(right.fault == "");
      products_.emplace_back(std::move(product), std::move(right.result));
    }
    mutants_ = mutantsOf(ptx_, tile.example);
    std::ranges::copy(relaxedMutantsOf(ptx_, tile.example), std::back_inserter(mutants_));
    REQUIRE(mutants_.size() > 30);
  }

  const std::vector<Mutant> &mutants() const { return mutants_; }

  /// What finds the mutant; "": nothing. The last shape is tried with so many seeds, small ones before it
  /// with six times as many.
  std::string foundBy(const Mutant &mutant, uint64_t seeds) const {
    const std::vector<sim::Schedule> ways = schedules(products_.size() > 1 ? 6 * seeds : seeds);
    for (size_t way = 0; way < ways.size(); ++way)
      for (const auto &[product, right] : products_) {
        if (way > seeds && &product == &products_.back().first && products_.size() > 1) continue;
        ProductRun::Outcome outcome = product.run(mutant.ptx, ways[way]);
        if (!outcome.fault.empty()) return outcome.fault;
        if (outcome.result != right) return "a wrong result";
      }
    return "";
  }

  /// Whether it is as the table says: it is not found by so many seeds, or found at all.
  std::string check(const Mutant &mutant, uint64_t seeds) const {
    const Unfound *unfound = unfoundOf(mutant);
    const std::string by = foundBy(mutant, unfound ? seeds : 40);
    INFO("without " << mutant.removed << ", after " << mutant.after << " beside\n"
                    << mutant.around << "found by: " << by);
    if (unfound) {
      INFO("found, though the table says: " << unfound->role << ": " << unfound->reason);
      CHECK(by == "");
    } else {
      CHECK(by != "");
    }
    return by;
  }

  const Unfound *unfoundOf(const Mutant &mutant) const { return ::unfoundOf(tile_, mutant); }

private:
  DefaultTile tile_;
  std::string ptx_;
  std::vector<std::pair<ProductRun, std::vector<std::byte>>> products_; // and what is right
  std::vector<Mutant> mutants_;
};

} // namespace

TEST_CASE("a sample of the lines that order something in default tiles") {
  constexpr size_t kTiles = 5, kLines = 4;
  const char *given = std::getenv("MXC_MUTANTS_SEED");
  const unsigned seed = given ? unsigned(std::stoul(given)) : std::random_device()();
  std::cout << "mutants of default tiles: MXC_MUTANTS_SEED=" << seed << " takes this sample again\n";
  std::mt19937 random(seed);
  std::vector<DefaultTile> tiles(std::begin(kDefaultTiles), std::end(kDefaultTiles));
  std::erase_if(tiles, [](const DefaultTile &tile) {
    return std::ranges::any_of(
        kNotSampled, [&](const char *name) { return nameOf(tile).find(name) != std::string::npos; });
  });
  std::ranges::shuffle(tiles, random);
  tiles.resize(kTiles);
  for (const DefaultTile &tile : tiles) {
    INFO(nameOf(tile));
    const TileRun run(tile);
    std::vector<Mutant> mutants;
    std::ranges::sample(run.mutants(), std::back_inserter(mutants), kLines, random);
    for (const Mutant &mutant : mutants)
      run.check(mutant, 4);
  }
}

TEST_CASE("every line that orders something in default tiles", "[.all]") {
  const char *of = std::getenv("MXC_MUTANTS_OF"); // a part of the lines, "line 906:" or "fence."
  for (const DefaultTile &tile : kDefaultTiles)
    DYNAMIC_SECTION(nameOf(tile)) {
      const TileRun run(tile);
      size_t found = 0;
      std::map<const char *, size_t> unfound; // by reason
      for (const Mutant &mutant : run.mutants()) {
        if (of && mutant.removed.find(of) == std::string::npos) continue;
        if (run.check(mutant, 6) != "")
          ++found;
        else if (const Unfound *row = run.unfoundOf(mutant))
          ++unfound[row->role];
      }
      std::cout << nameOf(tile) << ": " << run.mutants().size() << " mutants, " << found << " found\n";
      for (auto [role, count] : unfound)
        std::cout << "  " << count << " not: " << role << "\n";
      std::cout << std::flush;
    }
}

namespace {

/// The instructions that order something in each entry, without operands; one in its surroundings: two
/// before, two after.
std::vector<std::vector<std::string>> orderingIn(const std::string &ptx) {
  std::vector<std::vector<std::string>> entries;
  for (const std::string &line : linesOf(ptx)) {
    if (line.find(".entry ") != line.npos) entries.emplace_back();
    if (!entries.empty() && ordersSomething(line)) entries.back().push_back(opcodeOf(line));
  }
  return entries;
}

using Surroundings = std::array<std::string, 5>;
std::set<Surroundings> surroundingsIn(const std::string &ptx) {
  std::set<Surroundings> all;
  for (std::vector<std::string> &entry : orderingIn(ptx)) {
    entry.insert(entry.begin(), 2, ""), entry.insert(entry.end(), 2, "");
    for (size_t i = 0; i + 4 < entry.size(); ++i)
      all.insert({entry[i], entry[i + 1], entry[i + 2], entry[i + 3], entry[i + 4]});
  }
  return all;
}

} // namespace

TEST_CASE("the tiles of the table are default ones and have all surroundings of lines", "[.all]") {
  const std::string target = GENERATE(as<std::string>(), "sm_90a", "sm_100a");
  std::set<Surroundings> have, want;
  for (std::string example : {"matmul", "grouped_matmul", "grouped_wgrad"}) {
    const std::string mlir = compiled(example, target, Stage::Mlir);
    want.merge(surroundingsIn(compiled(example, target, Stage::Ptx)));
    for (const DefaultTile &tile : kDefaultTiles) {
      if (tile.target != target || tile.example != example) continue;
      INFO(nameOf(tile));
      CHECK(mlir.find(tile.members) != mlir.npos);
      have.merge(surroundingsIn(
          compiled(example, target, Stage::Ptx, std::string("#mx.") + tile.members + tile.more + ">")));
    }
  }
  for (const Surroundings &lines : want) {
    INFO(lines[0] << "\n" << lines[1] << "\n> " << lines[2] << "\n" << lines[3] << "\n" << lines[4]);
    CHECK(have.contains(lines));
  }
}

TEST_CASE("the default tiles of sm_103a are those of sm_100a, line by line") {
  for (std::string example : {"matmul", "grouped_matmul", "grouped_wgrad"}) {
    auto linesWithoutName = [&](const std::string &target) {
      std::string kept;
      for (const std::string &line : linesOf(compiled(example, target, Stage::Ptx)))
        if (!line.starts_with(".target") && line.find("__mxc_abi") == std::string::npos) kept += line + "\n";
      return kept;
    };
    CHECK(linesWithoutName("sm_103a") == linesWithoutName("sm_100a"));
  }
}
