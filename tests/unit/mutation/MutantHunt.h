// What finds the mutants of a kernel: a fault of strict checks, or a wrong result.
#pragma once

#include "tests/unit/mutation/DefaultTiles.h"
#include "tests/unit/mutation/Mutants.h"

#include <functional>

/// A line of UnfoundMutants.def.
struct UnfoundMutant {
  const char *tile, *line, *role, *beside, *order, *reason;
};

class MutantHunt {
public:
  /// Runs the kernel itself, too: what its results are is what is right.
  explicit MutantHunt(const DefaultTile &tile);

  const std::vector<Mutant> &mutants() const { return mutants_; }

  /// What finds the mutant; "": nothing. The last shape is tried with so many seeds, small ones before it
  /// with six times as many.
  std::string foundBy(const Mutant &mutant, uint64_t seeds) const;

  /// Whether it is as the table says: it is not found by so many seeds, or found at all. Returns foundBy.
  std::string check(const Mutant &mutant, uint64_t seeds) const;

  /// The line of the table that says why nothing can go wrong without that one; null: none.
  const UnfoundMutant *unfoundOf(const Mutant &mutant) const;

private:
  /// Runs PTX: the fault, "a wrong result", or "".
  using Trial = std::function<std::string(const std::string &ptx, mxc::sim::Schedule)>;

  std::string name_;
  std::vector<Mutant> mutants_;
  std::vector<Trial> trials_; // of the small shapes, then of the shape
};
