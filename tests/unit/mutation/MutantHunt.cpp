#include "tests/unit/mutation/MutantHunt.h"

#include "tests/unit/mutation/TileShapes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <sstream>

using namespace mxc;
using sim::Schedule;

static const UnfoundMutant kUnfound[] = {
#define UNFOUND(tile, line, role, beside, order, reason)                                                     \
  {Found::Never, tile, line, role, beside, order, reason},
#define SOMETIMES(tile, line, role, beside, order, reason)                                                   \
  {Found::Sometimes, tile, line, role, beside, order, reason},
#include "tests/unit/mutation/UnfoundMutants.def"
};

/// They stand for all: asynchronous operations late, early and at any time; clusters one after the other
/// (random:1) and in turns (random:2).
static constexpr std::array kSchedules = {
    Schedule{Schedule::Kind::Lazy, 0}, Schedule{Schedule::Kind::Random, 1},
    Schedule{Schedule::Kind::Random, 2}, Schedule{Schedule::Kind::Eager, 0}};
static constexpr uint64_t kSeeds = 2; // of those

std::string_view name(Found found) {
  static constexpr std::array<std::string_view, 3> kNames = {"never", "sometimes", "always"};
  return kNames[size_t(found)];
}

MutantHunt::MutantHunt(const DefaultTile &tile) : name_(tile.name()) {
  const auto code = std::make_shared<const TileCode>(codeOf(tile));
  const KernelAbi &abi = *std::ranges::find(code->abi.kernels, tile.kernel, &KernelAbi::name);
  for (const ProductShape &shape : shapesOf(tile, abi)) {
    Scenario scenario{{tile, code, shape}, {}};
    INFO(name_ << ", " << shape.m << " x " << shape.n << " x " << shape.k);
    for (Schedule schedule : kSchedules) {
      KernelRun::Outcome right = scenario.run.run(code->ptx, schedule);
      REQUIRE(right.fault == "");
      REQUIRE((scenario.right.empty() || scenario.right == right.result));
      scenario.right = std::move(right.result);
    }
    scenarios_.push_back(std::move(scenario));
  }
  mutants_ = mutantsOf(code->ptx, tile.entry);
  std::ranges::copy(relaxedMutantsOf(code->ptx, tile.entry), std::back_inserter(mutants_));
}

/// "unwritten" of a fault that has a name, else what it is.
static std::string shortName(const std::string &fault) {
  constexpr std::string_view kFinding = "finding: ", kSimulator = "simulator: ";
  auto after = [&](std::string_view word) {
    const size_t at = fault.find(word);
    return at == fault.npos ? ""
                            : fault.substr(at + word.size(),
                                           fault.find_first_of(":\n", at + word.size()) - at - word.size());
  };
  if (std::string finding = after(kFinding); !finding.empty()) return finding;
  if (std::string what = after(kSimulator); !what.empty()) return what;
  return fault;
}

std::string MutantHunt::foundBy(const Mutant &mutant, Schedule schedule) const {
  for (const Scenario &scenario : scenarios_) {
    const KernelRun::Outcome outcome = scenario.run.run(mutant.ptx, schedule);
    if (!outcome.fault.empty()) return shortName(outcome.fault);
    if (outcome.result != scenario.right) return "a wrong result";
  }
  return "";
}

Verdict MutantHunt::verdictOn(const Mutant &mutant, uint64_t seeds) const {
  std::string first, each;
  size_t found = 0;
  auto isFoundUnder = [&](Schedule schedule) {
    const std::string by = foundBy(mutant, schedule);
    if (first.empty()) first = by;
    each += (each.empty() ? "" : ", ") + sim::name(schedule) + ": " + (by.empty() ? "-" : by);
    return !by.empty();
  };
  for (Schedule schedule : kSchedules)
    found += isFoundUnder(schedule);
  if (found == kSchedules.size()) return {Found::Always, first};
  for (uint64_t seed = kSeeds + 1; !found && seed <= seeds; ++seed)
    found += isFoundUnder({Schedule::Kind::Random, seed});
  return {found ? Found::Sometimes : Found::Never, found ? each : ""};
}

Verdict MutantHunt::check(const Mutant &mutant) const {
  constexpr uint64_t kSeedsOfUnfound = 3, kMostSeeds = 64;
  const UnfoundMutant *unfound = unfoundOf(mutant);
  const bool isNever = unfound && unfound->found == Found::Never;
  const Verdict verdict = verdictOn(mutant, isNever ? kSeedsOfUnfound : kMostSeeds);
  INFO(name_ << " without " << mutant.removed << ", in " << mutant.order << "beside\n"
             << mutant.around << "found " << name(verdict.found) << ": " << verdict.by);
  if (unfound) {
    INFO("the table says " << name(unfound->found) << ": " << unfound->role << ": " << unfound->reason);
    CHECK((verdict.found == Found::Never) == isNever);
  } else {
    CHECK(verdict.found == Found::Always);
  }
  return verdict;
}

/// Whether `text` has all of the pattern's parts, between which a | stands.
static bool hasParts(const std::string &text, const std::string &pattern) {
  std::istringstream parts(pattern);
  for (std::string part; std::getline(parts, part, '|');)
    if (text.find(part) == text.npos) return false;
  return true;
}

const UnfoundMutant *MutantHunt::unfoundOf(const Mutant &mutant) const {
  auto found = std::ranges::find_if(kUnfound, [&](const UnfoundMutant &unfound) {
    return hasParts(name_, unfound.tile) && mutant.removed.find(unfound.line) != std::string::npos &&
           mutant.around.find(unfound.beside) != std::string::npos &&
           mutant.order.find(unfound.order) != std::string::npos;
  });
  return found == std::end(kUnfound) ? nullptr : &*found;
}
