// Contenders timed in turns, so that all of them see the same clocks and temperatures. Pure: no device.
#pragma once

#include "runtime/measure/Timing.h"

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace mxc::measure {

struct RaceOptions {
  int rounds = 9;
  /// After so many rounds, whoever's best one lies behind the leader's median by more than this part of it is
  /// stopped.
  int roundsBeforeStops = 3;
  double stoppedBehind = 0.05;

  static constexpr double kNobodyIsStopped = std::numeric_limits<double>::infinity();
};

/// Runs one contender once and returns the microseconds of a launch.
using Replay = std::function<double()>;

/// In each round every contender that is still in the race runs once; where a round starts moves on by one,
/// so that nobody always runs behind the same one. `beforeRound` may be empty. What they throw passes.
std::vector<Timing> race(std::span<const Replay> contenders, const RaceOptions &options = {},
                         const std::function<void(int round)> &beforeRound = {});

} // namespace mxc::measure
