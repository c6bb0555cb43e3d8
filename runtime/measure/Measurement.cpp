#include "runtime/measure/Measurement.h"

#include "runtime/device/Graph.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

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

  /// The time of one replay after `before` others; calls `meanwhile` as it begins.
  double micros(const Graph &graph, int before, const std::function<void(const Stream &)> &meanwhile) const {
    for (int i = 0; i < before; ++i)
      graph.launch(stream_);
    start_.record(stream_);
    graph.launch(stream_);
    end_.record(stream_);
    start_.synchronize();
    if (meanwhile) meanwhile(stream_);
    end_.synchronize();
    return end_.microsSince(start_);
  }

private:
  Stream stream_;
  Event start_, end_;
};

} // namespace

/// The number of whole rounds over the sets that together work so long.
static int launchesFor(double workMicros, double microsOfRound, int sets) {
  constexpr double kMostLaunches = 20000; // of a graph: it is built on the host
  const double rounds = microsOfRound > 0 ? std::ceil(workMicros / microsOfRound) : 1;
  return sets * static_cast<int>(std::clamp(rounds, 1.0, std::max(1.0, kMostLaunches / sets)));
}

ClockRange Measurement::allClocks() const {
  ClockRange all;
  for (const ClockRange &range : clocks)
    all.addAll(range);
  return all;
}

/// Reads the clocks as long as a stream is busy, which is for about `workMicros`.
static std::optional<ClockReading> meanClocks(const ReadClocks &readClocks, const Stream &stream,
                                              double workMicros) {
  constexpr double kApart = 5000; // microseconds between readings
  ClockMean mean;
  for (double at = 0; at < workMicros; at += kApart) {
    if (at > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(kApart));
    if (at > 0 && stream.isIdle()) break;
    const std::optional<ClockReading> reading = readClocks();
    if (!reading) break;
    mean.add(*reading);
  }
  return mean.value();
}

/// The number of replays that take so long.
static int replaysFor(double settleMicros, double microsOfReplay) {
  constexpr double kMostReplays = 1000; // a stream's queue
  return static_cast<int>(
      std::clamp(std::ceil(settleMicros / std::max(microsOfReplay, 1.0)), 1.0, kMostReplays));
}

Measurement compare(const Device &device, std::span<const Contender> contenders, int sets,
                    const MeasurementOptions &options) {
  Measurement result;
  const ReplayTimer timer(device);
  const ClockWatch watch(device);
  const ReadClocks readClocks = options.readClocks ? options.readClocks : [&] { return watch.read(); };
  ClockRange unread;
  unread.unknown = watch.unknown();
  result.clocks.assign(contenders.size(), unread);

  auto replay = [&](size_t contender, const Graph &graph, int before = 1,
                    const std::function<void(const Stream &)> &meanwhile = {}) {
    if (options.beforeReplay) options.beforeReplay(contender);
    return timer.micros(graph, before, meanwhile);
  };
  std::vector<Graph> graphs;
  std::vector<double> microsOfGraph; // as they were last
  for (size_t i = 0; i < contenders.size(); ++i) {
    const double round = replay(i, timer.capture(contenders[i], sets, sets));
    result.launches.push_back(launchesFor(options.workMicros, round, sets));
    graphs.push_back(timer.capture(contenders[i], sets, result.launches.back()));
    microsOfGraph.push_back(round / sets * result.launches.back());
  }

  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + std::chrono::duration<double>(options.warmSeconds);
  for (size_t next = 0; !graphs.empty() && Clock::now() < warm; ++next) {
    const size_t i = next % graphs.size();
    microsOfGraph[i] = replay(i, graphs[i]);
  }

  std::vector<Replay> replays;
  for (size_t i = 0; i < graphs.size(); ++i)
    replays.push_back([&, i] {
      const int before = replaysFor(options.settleMicros, microsOfGraph[i]);
      microsOfGraph[i] = replay(i, graphs[i], before, [&](const Stream &stream) {
        if (auto mean = meanClocks(readClocks, stream, options.workMicros)) result.clocks[i].add(*mean);
      });
      return microsOfGraph[i] / result.launches[i];
    });
  result.timings = race(replays, options.race);
  return result;
}

} // namespace mxc::measure
