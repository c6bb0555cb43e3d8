// Whatever orders something in default tiles is taken out in turn: the simulator's strict checks, or a wrong
// result, find it under every schedule, or UnfoundMutants.def says why not. Each run takes the same sample,
// MXC_MUTANTS_SEED another one; tools/dev/mutants takes all.
#include "chips/Chip.h"
#include "tests/unit/mutation/MutantHunt.h"
#include "tests/unit/mutation/OrderKey.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace mxc;

/// Simulated chips whose code is their own: another's tiles are the other's.
static std::vector<std::string> targetsOfOwnCode() {
  std::vector<std::string> names;
  for (const Chip &chip : allChips())
    if (chip.isSimulated() && chip.llvmChip == chip.name) names.emplace_back(chip.name);
  return names;
}
static const std::vector<std::string> kTargets = targetsOfOwnCode();

TEST_CASE("a sample of the lines that order something in default tiles") {
  constexpr size_t kTiles = 4, kLines = 4;
  const char *given = std::getenv("MXC_MUTANTS_SEED");
  std::mt19937 random(given ? unsigned(std::stoul(given)) : 1);
  auto oneOf = [&](const auto &list) { return *(std::begin(list) + random() % std::size(list)); };
  const std::vector<std::string> forms = formsOfKernels();
  for (size_t taken = 0; taken < kTiles;) {
    const std::vector<DefaultTile> tiles = defaultTilesOf(oneOf(forms), oneOf(kTargets));
    if (tiles.empty()) continue; // the chip has no such product
    const MutantHunt hunt(oneOf(tiles));
    std::vector<Mutant> all = hunt.mutants(), mutants;
    std::erase_if(all, [&](const Mutant &mutant) { // they take many runs
      const UnfoundMutant *row = hunt.unfoundOf(mutant);
      return row && row->found == Found::Sometimes;
    });
    std::ranges::sample(all, std::back_inserter(mutants), kLines, random);
    for (const Mutant &mutant : mutants)
      hunt.check(mutant);
    ++taken;
  }
}

TEST_CASE("the order of the counts after which a CTA takes sums and maxima of all") {
  const std::vector<DefaultTile> tiles = defaultTilesOf("quantize_nvfp4_gradient", "sm_100a");
  REQUIRE(!tiles.empty());
  const MutantHunt hunt(tiles.front());
  std::vector<std::string> foundBy;
  for (const Mutant &mutant : hunt.mutants())
    if (mutant.removed.starts_with("the order of")) foundBy.push_back(hunt.check(mutant).by);
  CHECK(foundBy == std::vector<std::string>{"global-order", "relaxed-message"});
}

/// Prints tiles that have between them every sequence of lines that order something which default tiles have,
/// and for each generation of chips every form of kernels.
TEST_CASE("default tiles that differ in what orders something", "[.all]") {
  std::set<std::string> formsOfChips;
  std::map<std::string, size_t> numbers; // by what orders something: of a tile
  struct Representative {
    std::string name;
    size_t lines, tiles; // how many it stands for
  };
  std::vector<Representative> taken;
  for (const std::string &target : kTargets)
    for (const std::string &form : formsOfKernels())
      for (const auto &[tile, ptx] : defaultCodeOf(form, target)) {
        const std::string key = orderKeyOf(ptx);
        const auto [at, isNew] = numbers.try_emplace(key, taken.size());
        const bool isFirst = formsOfChips.insert(target.substr(0, 5) + form).second;
        if (isNew || isFirst)
          taken.push_back({tile.name(), size_t(std::ranges::count(key, '\n')), 1});
        else
          ++taken[at->second].tiles;
      }
  CHECK(numbers.size() > 100);
  for (const auto &[name, lines, tiles] : taken)
    std::cout << "tile of " << tiles << ", " << lines << " lines: " << name << "\n";
}

static std::string variableOr(const char *name, const std::string &otherwise) {
  const char *given = std::getenv(name);
  return given ? given : otherwise;
}

/// Those of a tile's mutants in the part that MXC_MUTANTS_PART names: "2/8" takes the second of every
/// eight.
static std::vector<Mutant> partOf(const std::vector<Mutant> &mutants) {
  const std::string part = variableOr("MXC_MUTANTS_PART", "1/1");
  const size_t step = std::stoul(part.substr(part.find('/') + 1));
  std::vector<Mutant> some;
  for (size_t at = std::stoul(part) - 1; at < mutants.size(); at += step)
    some.push_back(mutants[at]);
  return some;
}

TEST_CASE("every line that orders something in the tile that MXC_MUTANTS_TILE names", "[.all]") {
  const std::string lines = variableOr("MXC_MUTANTS_OF", "");
  const MutantHunt hunt(defaultTileNamed(variableOr("MXC_MUTANTS_TILE", "")));
  for (const Mutant &mutant : partOf(hunt.mutants())) {
    if (mutant.removed.find(lines) == std::string::npos) continue;
    const Verdict verdict = hunt.check(mutant);
    const UnfoundMutant *row = hunt.unfoundOf(mutant);
    const bool isAsListed = row ? (verdict.found == Found::Never) == (row->found == Found::Never)
                                : verdict.found == Found::Always;
    std::cout << (!isAsListed ? "OPEN "
                  : row       ? "listed "
                              : "found ")
              << name(verdict.found) << ": " << mutant.removed << " | " << mutant.order << " | "
              << (row ? row->role : "") << " | " << verdict.by << std::endl;
  }
}
