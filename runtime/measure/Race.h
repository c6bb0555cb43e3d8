// Times contenders in turns, so that all see the same clocks and temperatures. Pure: no device.
#pragma once

#include "runtime/measure/Timing.h"

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace mxc::measure {

struct RaceOptions {
  int rounds = 9;
  /// After so many rounds, a contender stops if its best round is slower than the leader's median by more
  /// than this part.
  int roundsBeforeStops = 3;
  double stoppedBehind = 0.05;

  static constexpr double kNobodyIsStopped = std::numeric_limits<double>::infinity();
};

/// Runs one contender once and returns the microseconds of a launch.
using Replay = std::function<double()>;

/// In each round every contender still in the race runs once. The start of a round moves on by one, so that
/// nobody always runs after the same one. `beforeRound` may be empty. Exceptions pass through.
std::vector<Timing> race(std::span<const Replay> contenders, const RaceOptions &options = {},
                         const std::function<void(int round)> &beforeRound = {});

} // namespace mxc::measure
