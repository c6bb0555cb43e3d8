#include "runtime/measure/Race.h"

#include <algorithm>

namespace mxc::measure {

static void stopLosers(std::vector<Timing> &timings, double stoppedBehind) {
  double leader = std::numeric_limits<double>::infinity();
  for (const Timing &timing : timings)
    if (!timing.wasStopped) leader = std::min(leader, timing.median());
  for (Timing &timing : timings)
    timing.wasStopped |= timing.best() > leader * (1 + stoppedBehind);
}

std::vector<Timing> race(std::span<const Replay> contenders, const RaceOptions &options,
                         const std::function<void(int round)> &beforeRound) {
  std::vector<Timing> timings(contenders.size());
  for (int round = 0; round < options.rounds; ++round) {
    if (beforeRound) beforeRound(round);
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      const size_t contender = (turn + static_cast<size_t>(round)) % contenders.size();
      if (!timings[contender].wasStopped) timings[contender].micros.push_back(contenders[contender]());
    }
    if (round + 1 >= options.roundsBeforeStops) stopLosers(timings, options.stoppedBehind);
  }
  return timings;
}

} // namespace mxc::measure
