// Timelines of clusters as a trace that Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing) show: the
// JSON trace event format. A process is a CTA, a thread one of its rows; a microsecond is an instruction.
#pragma once

#include "runtime/simulator/report/Timeline.h"

#include <array>
#include <mutex>

namespace mxc::sim {

/// One launch's part of a file: the process's first launch writes it anew, later ones append. It is whole
/// JSON whenever no launch is under way, and says where a launch's room was too little.
class TimelineFile {
public:
  /// Throws mxc::Error (InvalidInput) if the file cannot be written.
  TimelineFile(std::string path, std::string kernel, uint64_t ctas);

  /// What a cluster did, by any thread; `positions` of its CTAs, by rank.
  void add(const std::vector<TimelineTrack> &tracks, const std::vector<std::array<uint32_t, 3>> &positions);
  void fail() { hasFailed_ = true; }            // some of it could not be recorded
  bool hasFailed() const { return hasFailed_; } // .. or written

  /// The most that a timeline has: what more cost in the host's memory and in viewers is not worth it.
  static constexpr int64_t kMostSlices = 2'000'000;
  std::atomic<int64_t> room{kMostSlices};

private:
  std::mutex mutex_;
  std::string path_, kernel_;
  uint64_t firstProcess_; // in the trace
  uint64_t processes_ = 0;
  std::atomic<bool> hasFailed_ = false;
};

} // namespace mxc::sim
