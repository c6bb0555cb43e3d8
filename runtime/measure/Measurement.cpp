#include "runtime/measure/Measurement.h"

#include "runtime/Graph.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mxc::measure {

namespace {

class ReplayTimer {
public:
  explicit ReplayTimer(const Device &device) : stream_(device), start_(device), end_(device) {}

  Graph capture(const Contender &contender, int sets, int launches) const {
    return Graph::capture(stream_, [&] {
      for (int launch = 0; launch < launches; ++launch)
        contender.enqueue(launch % sets, stream_);
    });
  }

  double micros(const Graph &graph) const {
    graph.launch(stream_);
    start_.record(stream_);
    graph.launch(stream_);
    end_.record(stream_);
    end_.synchronize();
    return end_.microsSince(start_);
  }

private:
  Stream stream_;
  Event start_, end_;
};

} // namespace

/// Whole rounds over the sets that together work so long.
static int launchesFor(double workMicros, double microsOfRound, int sets) {
  constexpr double kMostLaunches = 20000; // of a graph: it is built on the host
  const double rounds = microsOfRound > 0 ? std::ceil(workMicros / microsOfRound) : 1;
  return sets * static_cast<int>(std::clamp(rounds, 1.0, std::max(1.0, kMostLaunches / sets)));
}

Measurement compare(const Device &device, std::span<const Contender> contenders, int sets,
                    const MeasurementOptions &options) {
  Measurement result;
  const ReplayTimer timer(device);
  auto replay = [&](size_t contender, const Graph &graph) {
    if (options.beforeReplay) options.beforeReplay(contender);
    return timer.micros(graph);
  };
  std::vector<Graph> graphs;
  for (size_t i = 0; i < contenders.size(); ++i) {
    const double round = replay(i, timer.capture(contenders[i], sets, sets));
    result.launches.push_back(launchesFor(options.workMicros, round, sets));
    graphs.push_back(timer.capture(contenders[i], sets, result.launches.back()));
  }

  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + std::chrono::duration<double>(options.warmSeconds);
  for (size_t next = 0; !graphs.empty() && Clock::now() < warm; ++next)
    replay(next % graphs.size(), graphs[next % graphs.size()]);

  const ClockWatch watch(device);
  result.clocks.unknown = watch.unknown();
  auto look = [&] {
    if (std::optional<ClockReading> reading = watch.read()) result.clocks.add(*reading);
  };
  std::vector<Replay> replays;
  for (size_t i = 0; i < graphs.size(); ++i)
    replays.push_back([&, i] { return replay(i, graphs[i]) / result.launches[i]; });
  result.timings = race(replays, options.race, [&](int) { look(); });
  look();
  return result;
}

} // namespace mxc::measure
