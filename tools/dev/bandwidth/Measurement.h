// Times programs side by side.
#pragma once

#include "runtime/Graph.h"
#include "tools/dev/bandwidth/Program.h"
#include "tools/dev/bandwidth/Yardstick.h"

#include <vector>

namespace mxc::bandwidth {

struct MeasurementOptions {
  double workMicros = 4000;           // a replay's work, at least
  int replays = 9;                    // of which the median counts
  int passes = 2;                     // each with fresh data; their difference is the spread
  int64_t rotatedBytes = 320'000'000; // that the buffer sets exceed together, so that L2 holds nothing of use
  bool check = true;                  // that every output byte is written, and the same one each time
};

struct Timing {
  std::vector<double> micros; // a launch: the median of each pass
  uint64_t wrongBytes = 0;    // of the outputs: unwritten or changing

  double mean() const;
  double spread() const; // (largest - smallest) / mean
};

/// Each program's launches are captured into a CUDA graph that rotates over buffer sets. In each round every
/// program's graph is replayed twice without a pause, and events time the second replay: the ceiling and the
/// candidates see the same clocks.
std::vector<Timing> measure(const Device &device, const Yardstick &yardstick,
                            const std::vector<Program> &programs, bool pdl,
                            const MeasurementOptions &options);

} // namespace mxc::bandwidth
