// Times launches side by side on a device, as docs/performance.md ("How it is measured") says.
#pragma once

#include "runtime/measure/ClockWatch.h"
#include "runtime/measure/Race.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mxc::measure {

/// Something that is launched again and again: a kernel with a tile, a ceiling, somebody else's kernel.
struct Contender {
  std::string name;
  /// Enqueues one launch on a set of tensors, from 0; on that stream alone, which is capturing.
  std::function<void(int set, CUstream stream)> enqueue;
};

struct MeasurementOptions {
  double workMicros = 2000; // of a replay, at least
  /// Of a contender's own work right before each replay that is timed, at least. Work that reaches the chip's
  /// power limit finds its clock only after a while, and until then has one that what ran before it left.
  double settleMicros = 0;
  double warmSeconds = 0.4; // of the contenders' own work before the first round, for the clocks
  RaceOptions race = {};
  /// Told before something of a contender's runs: whose doing it is if the device fails.
  std::function<void(size_t contender)> beforeReplay = {};
  ReadClocks readClocks = {}; // instead of NVML's
};

struct Measurement {
  std::vector<Timing> timings;    // one a contender, in their order
  std::vector<int> launches;      // of a replay
  std::vector<ClockRange> clocks; // each contender's: the mean over each replay that was timed

  ClockRange allClocks() const;
};

/// Each contender's launches are captured into a CUDA graph that goes round the sets, so that what a launch
/// reads is not in the L2 cache (TensorSets). A replay launches the graph twice or, to settle, more often
/// without a pause and takes the last one's time by events: the first covers what the host needs. Contenders
/// of the same measurement may be held against each other; those of two may not. Throws mxc::Error (Device)
/// if the driver or a kernel fails, and what the contenders throw. On a simulator it works too, and the time
/// is the host's.
Measurement compare(const Device &device, std::span<const Contender> contenders, int sets,
                    const MeasurementOptions &options = {});

} // namespace mxc::measure
