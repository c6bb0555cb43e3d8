// A default tile on the simulator, after a grid that wrote all of its inputs: what comes of it.
#pragma once

#include "runtime/launch/GuardedArguments.h"
#include "runtime/simulator/Options.h"
#include "tests/unit/mutation/DefaultTiles.h"
#include "tests/unit/mutation/ProductRun.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

/// The kernel is launched as a dependent one: it may begin before the grid in front of it ends.
class KernelRun {
public:
  /// Inputs are made up, but for the ends of groups and for rows that are named.
  KernelRun(const DefaultTile &tile, std::shared_ptr<const TileCode> code, const ProductShape &shape);

  struct Outcome {
    std::string fault; // the first line of the report; "": none
    mxc::GuardedArguments::Outputs result;
  };
  /// For the tile whose entry has that text, with strict checks and one thread of the host.
  Outcome run(const std::string &ptx, mxc::sim::Schedule schedule) const;

private:
  DefaultTile tile_;
  std::shared_ptr<const TileCode> code_;
  unsigned multiprocessors_;
  mxc::Dimensions dimensions_;
  std::map<std::string, std::vector<std::byte>> inputs_; // by the arguments' names
  mxc::Arguments scalars_;
};
