// Whatever orders something in default tiles is taken out in turn: the simulator's strict checks, or a wrong
// result, find it, or UnfoundMutants.def says why nothing can go wrong. Each run takes a sample, whose seed
// it prints; tools/dev/mutants takes all.
#include "tests/unit/mutation/MutantHunt.h"
#include "tests/unit/simulator/OrderingLines.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace mxc;

/// Samples leave these out: tiles that have two lines each, and one whose lines take seconds each. [all]
/// takes them.
static const char *const kNotSampled[] = {"quantize_tile", "pack_scales", "sm_90a matmul_nvfp4"};

TEST_CASE("a sample of the lines that order something in default tiles") {
  constexpr size_t kTiles = 5, kLines = 4;
  const char *given = std::getenv("MXC_MUTANTS_SEED");
  const unsigned seed = given ? unsigned(std::stoul(given)) : std::random_device()();
  std::cout << "mutants of default tiles: MXC_MUTANTS_SEED=" << seed << " takes this sample again\n";
  std::mt19937 random(seed);
  std::vector<DefaultTile> tiles = defaultTiles();
  std::erase_if(tiles, [](const DefaultTile &tile) {
    return std::ranges::any_of(kNotSampled,
                               [&](const char *part) { return tile.name().find(part) != std::string::npos; });
  });
  std::ranges::shuffle(tiles, random);
  tiles.resize(kTiles);
  for (const DefaultTile &tile : tiles) {
    INFO(tile.name());
    const MutantHunt hunt(tile);
    std::vector<Mutant> mutants;
    std::ranges::sample(hunt.mutants(), std::back_inserter(mutants), kLines, random);
    for (const Mutant &mutant : mutants)
      hunt.check(mutant, 4);
  }
}

/// The texts in the environment variable, with a | between them; none: "", which is in every text.
static std::vector<std::string> textsOf(const char *variable) {
  const char *given = std::getenv(variable);
  std::istringstream list(given ? given : "");
  std::vector<std::string> texts;
  for (std::string text; std::getline(list, text, '|');)
    texts.push_back(text);
  if (texts.empty()) texts.push_back("");
  return texts;
}

static bool hasOne(const std::string &text, const std::vector<std::string> &parts) {
  return std::ranges::any_of(parts,
                             [&](const std::string &part) { return text.find(part) != std::string::npos; });
}

/// Of the mutants of a tile those in the part that MXC_MUTANTS_PART names: "2/8" takes the second of every
/// eight.
static std::vector<Mutant> partOf(const std::vector<Mutant> &mutants) {
  const char *given = std::getenv("MXC_MUTANTS_PART");
  const std::string part = given ? given : "1/1";
  const size_t step = std::stoul(part.substr(part.find('/') + 1));
  std::vector<Mutant> some;
  for (size_t at = std::stoul(part) - 1; at < mutants.size(); at += step)
    some.push_back(mutants[at]);
  return some;
}

TEST_CASE("every line that orders something in default tiles", "[.all]") {
  const std::vector<std::string> lines = textsOf("MXC_MUTANTS_OF"), tiles = textsOf("MXC_MUTANTS_TILES");
  for (const DefaultTile &tile : defaultTiles())
    DYNAMIC_SECTION(tile.name()) {
      if (!hasOne(tile.name(), tiles)) continue;
      const MutantHunt hunt(tile);
      const std::vector<Mutant> mutants = partOf(hunt.mutants());
      size_t found = 0;
      std::map<const char *, size_t> unfound; // by reason
      for (const Mutant &mutant : mutants) {
        if (!hasOne(mutant.removed, lines)) continue;
        if (hunt.check(mutant, 6) != "")
          ++found;
        else if (const UnfoundMutant *row = hunt.unfoundOf(mutant))
          ++unfound[row->role];
      }
      std::cout << tile.name() << ": " << mutants.size() << " mutants, " << found << " found\n";
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

/// Whether some tile that --emit=mlir writes has all members of `tile`.
static bool isAmong(const std::string &tile, const std::string &mlir) {
  const size_t bracket = tile.find('<');
  std::vector<std::string> members;
  std::istringstream list(tile.substr(0, tile.size() - 1).substr(std::min(bracket + 1, tile.size())));
  for (std::string member; std::getline(list, member, ',');)
    members.push_back(member.substr(member.find_first_not_of(' ')));
  const std::string kind = "#mx." + tile.substr(0, bracket) + "<";
  for (size_t at = mlir.find(kind); at != mlir.npos; at = mlir.find(kind, at + 1)) {
    const std::string written = " " + mlir.substr(at + kind.size(), mlir.find('\n', at) - at) + ",";
    if (std::ranges::all_of(members, [&](const std::string &member) {
          return written.find(" " + member + ",") != written.npos ||
                 written.find(" " + member + ">") != written.npos;
        }))
      return true;
  }
  return tile.empty();
}

/// Kernels of docs/examples whose lines are taken out, and those that have none besides.
static std::set<std::string> examplesOf(const std::string &target) {
  std::set<std::string> all = {"matmul_mxfp4", "matmul_nvfp4", "matmul_bias_gelu", "quantize_mxfp4"};
  for (const DefaultTile &tile : defaultTiles())
    if (tile.target == target) all.insert(tile.example);
  return all;
}

TEST_CASE("the tiles of the table are default ones and have all surroundings of lines", "[.all]") {
  const std::string target = GENERATE(as<std::string>(), "sm_90a", "sm_100a", "sm_120a");
  std::set<Surroundings> have, want;
  for (const std::string &example : examplesOf(target)) {
    want.merge(surroundingsIn(compiled(example, target, Stage::Ptx)));
    const std::string mlir = compiled(example, target, Stage::Mlir);
    for (const DefaultTile &tile : defaultTiles()) {
      if (tile.target != target || tile.example != example) continue;
      INFO(tile.name());
      CHECK(isAmong(tile.tile, mlir));
      have.merge(surroundingsIn(ptxOf(tile)));
    }
  }
  for (const Surroundings &lines : want) {
    INFO(lines[0] << "\n" << lines[1] << "\n> " << lines[2] << "\n" << lines[3] << "\n" << lines[4]);
    CHECK(have.contains(lines));
  }
}

TEST_CASE("the default tiles of sm_103a and sm_121a are those of sm_100a and sm_120a, line by line") {
  const auto [target, same] =
      GENERATE(table<std::string, std::string>({{"sm_100a", "sm_103a"}, {"sm_120a", "sm_121a"}}));
  for (const std::string &example : examplesOf(target)) {
    auto linesWithoutName = [&](const std::string &target) {
      std::string kept;
      for (const std::string &line : linesOf(compiled(example, target, Stage::Ptx)))
        if (!line.starts_with(".target") && line.find("__mxc_abi") == std::string::npos) kept += line + "\n";
      return kept;
    };
    INFO(example);
    CHECK(linesWithoutName(same) == linesWithoutName(target));
  }
}
