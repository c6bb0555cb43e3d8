// What finds the mutants of a default tile: a fault of strict checks, or a wrong result.
#pragma once

#include "tests/unit/mutation/DefaultTiles.h"
#include "tests/unit/mutation/KernelRun.h"
#include "tests/unit/mutation/Mutants.h"

/// Under which schedules a mutant is found: Always stands for all that are tried.
enum class Found { Never, Sometimes, Always };
std::string_view name(Found found);

/// A line of UnfoundMutants.def: a mutant that is not always found.
struct UnfoundMutant {
  Found found; // Never, Sometimes
  const char *tile, *line, *role, *beside, *order, *reason;
};

/// Whether, and by what.
struct Verdict {
  Found found;
  std::string by; // Always: what finds it first. Sometimes: what each schedule finds, "lazy: -, random:1: .."
};

class MutantHunt {
public:
  /// Runs the kernel itself, too: what its results are is what is right, under every schedule.
  explicit MutantHunt(const DefaultTile &tile);

  const std::vector<Mutant> &mutants() const { return mutants_; }

  /// Runs the mutant under each schedule until some shape shows it. Where none of them finds it, random ones
  /// are added while they are fewer than `seeds`.
  Verdict verdictOn(const Mutant &mutant, uint64_t seeds) const;

  /// Whether the verdict is as the table says: a mutant that it has as found under some schedules may be
  /// found under all that are tried. Returns it.
  Verdict check(const Mutant &mutant) const;

  /// The line of the table that says why the mutant is not always found; null: none.
  const UnfoundMutant *unfoundOf(const Mutant &mutant) const;

private:
  struct Scenario {
    KernelRun run;
    mxc::GuardedArguments::Outputs right;
  };
  /// "" nothing.
  std::string foundBy(const Mutant &mutant, mxc::sim::Schedule schedule) const;

  std::string name_;
  std::vector<Mutant> mutants_;
  std::vector<Scenario> scenarios_; // the cheapest first
};
