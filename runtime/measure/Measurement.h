// Times launches side by side on a device, as docs/performance.md ("How it is measured") says.
#pragma once

#include "runtime/measure/ClockWatch.h"
#include "runtime/measure/Race.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mxc::measure {

/// Something that is launched repeatedly: a kernel with a tile, a ceiling, another library's kernel.
struct Contender {
  std::string name;
  /// Enqueues one launch on a set of tensors, numbered from 0, on that stream alone, which is capturing.
  std::function<void(int set, CUstream stream)> enqueue;
};

struct MeasurementOptions {
  double workMicros = 2000; // of a replay, at least
  /// The least time of a contender's own work right before each timed replay. Work at the chip's power limit
  /// finds its clock only after a while; until then it has the clock of what ran before.
  double settleMicros = 0;
  double warmSeconds = 0.4; // the contenders' own work before the first round, for the clocks
  RaceOptions race = {};
  /// Called before something of a contender runs, to know whose fault it is if the device fails.
  std::function<void(size_t contender)> beforeReplay = {};
  ReadClocks readClocks = {}; // instead of NVML's
};

struct Measurement {
  std::vector<Timing> timings;    // one a contender, in their order
  std::vector<int> launches;      // of a replay
  std::vector<ClockRange> clocks; // each contender's: the mean over each replay that was timed

  ClockRange allClocks() const;
};

/// Captures each contender's launches into a CUDA graph that goes round the sets, so that what a launch reads
/// is not in the L2 cache (TensorSets). A replay launches the graph twice or, to settle, more often without a
/// pause, and takes the last one's time by events: the first covers the host's work. Contenders of one
/// measurement may be compared; those of two may not. Throws mxc::Error (Device) if the driver or a kernel
/// fails, and what the contenders throw. It works on a simulator too, where the time is the host's.
Measurement compare(const Device &device, std::span<const Contender> contenders, int sets,
                    const MeasurementOptions &options = {});

} // namespace mxc::measure
