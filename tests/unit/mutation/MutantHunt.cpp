#include "tests/unit/mutation/MutantHunt.h"

#include "tests/unit/mutation/KernelRun.h"
#include "tests/unit/mutation/ProductRun.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace mxc;

static const UnfoundMutant kUnfound[] = {
#define UNFOUND(tile, line, role, beside, order, reason) {tile, line, role, beside, order, reason},
#include "tests/unit/mutation/UnfoundMutants.def"
};

/// Products of MXFP8, whose operand a real quantizer makes in front of them.
static constexpr std::array kBehindQuantizer = {"matmul", "grouped_matmul", "grouped_wgrad"};

/// Of a run of either kind: what it gives under an eager schedule is what is right.
template <class Run> static auto trialOf(Run run, const std::string &ptx) {
  const typename Run::Outcome right = run.run(ptx, {sim::Schedule::Kind::Eager, 0});
  REQUIRE(right.fault == "");
  return [run = std::move(run), right](const std::string &mutant, sim::Schedule schedule) -> std::string {
    const typename Run::Outcome outcome = run.run(mutant, schedule);
    if (!outcome.fault.empty()) return outcome.fault;
    return outcome.result == right.result ? "" : "a wrong result";
  };
}

MutantHunt::MutantHunt(const DefaultTile &tile) : name_(tile.name()) {
  const std::string ptx = ptxOf(tile);
  const bool isBehindQuantizer = std::ranges::find(kBehindQuantizer, tile.example) != kBehindQuantizer.end();
  for (const ProductShape &shape : {tile.small, tile.other, tile.shape}) {
    if (!shape.m) continue;
    if (isBehindQuantizer)
      trials_.push_back(trialOf(ProductRun(tile.target, shape, 0), ptx));
    else
      trials_.push_back(trialOf(KernelRun(tile.target, ptx, shape), ptx));
  }
  mutants_ = mutantsOf(ptx, tile.example);
  std::ranges::copy(relaxedMutantsOf(ptx, tile.example), std::back_inserter(mutants_));
  REQUIRE(mutants_.size() > 0);
}

std::string MutantHunt::foundBy(const Mutant &mutant, uint64_t seeds) const {
  const bool hasSmall = trials_.size() > 1;
  const std::vector<sim::Schedule> ways = schedules(hasSmall ? 6 * seeds : seeds);
  for (size_t way = 0; way < ways.size(); ++way)
    for (const Trial &trial : trials_) {
      if (way > seeds && &trial == &trials_.back() && hasSmall) continue;
      if (std::string found = trial(mutant.ptx, ways[way]); !found.empty()) return found;
    }
  return "";
}

std::string MutantHunt::check(const Mutant &mutant, uint64_t seeds) const {
  const UnfoundMutant *unfound = unfoundOf(mutant);
  const std::string by = foundBy(mutant, unfound ? seeds : 40);
  INFO("without " << mutant.removed << ", in " << mutant.order << "beside\n"
                  << mutant.around << "found by: " << by);
  if (unfound) {
    INFO("found, though the table says: " << unfound->role << ": " << unfound->reason);
    CHECK(by == "");
  } else {
    CHECK(by != "");
  }
  return by;
}

const UnfoundMutant *MutantHunt::unfoundOf(const Mutant &mutant) const {
  auto found = std::ranges::find_if(kUnfound, [&](const UnfoundMutant &unfound) {
    return name_.find(unfound.tile) != std::string::npos &&
           mutant.removed.find(unfound.line) != std::string::npos &&
           mutant.around.find(unfound.beside) != std::string::npos &&
           mutant.order.find(unfound.order) != std::string::npos;
  });
  return found == std::end(kUnfound) ? nullptr : &*found;
}
