// Finds the fastest of a kernel's candidates for given shapes on a device.
#pragma once

#include "runtime/jit/TuningDatabase.h"
#include "runtime/measure/KernelContender.h"
#include "runtime/tune/CandidateFaults.h"
#include "runtime/tune/Candidates.h"
#include "runtime/tune/LaunchCounts.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mxc::tune {

struct TunerOptions {
  Arguments scalars = {};
  bool pdl = false; // how it will be launched
  measure::MeasurementOptions measurement = {};
  /// Set for a simulator, whose time says nothing: ranks candidates by the counts of one launch each.
  TakeCounts takeCounts = {};
  /// Says where tuning goes on after a candidate that ruins the device (IsolatedTuning.h).
  CandidateFaults *faults = nullptr;
  /// The time in which a candidate must be checked or timed once; at least thirty times what the untuned one
  /// takes.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  /// Receives the progress: "131072 x 7168: checking", how many are done, and out of how many.
  std::function<void(const std::string &what, size_t done, size_t total)> progress = {};
  /// Receives, as each shape ends, what the database is to know of its bucket: the choice over those of the
  /// bucket's shapes that have ended. Whoever stores it keeps it if the tuning is interrupted.
  std::function<void(std::span<const TunedRow> rows)> shapeEnded = {};
};

/// One candidate at one shape.
struct Trial {
  std::string refusal;         // why it does not compete here; "": it does
  measure::Timing timing = {}; // without counts
  LaunchCounts counts = {};
  double score = 0;       // microseconds, or scoreOf(counts); less is better
  bool isUntuned = false; // the tile that the heuristics launch
  bool isChosen = false;  // of its assembler's
};

struct ShapeTuning {
  Dimensions dimensions;
  ShapeBucket bucket;
  std::vector<Trial> trials; // one a candidate, in their order
  measure::ClockRange clocks;
  double bytesNeeded = 0; // of a launch
};

/// Not an Error: nobody can be told anything, and the process has to end.
struct DeviceRuined {};

struct Tuning {
  std::vector<ShapeTuning> shapes;
  std::vector<TunedRow> rows; // one a bucket and assembler, of all shapes: what the database is to know
  bool isByCounts = false;
};

/// Tunes. A candidate competes if its tile takes the shape and its outputs agree byte for byte with those of
/// `untuned`. If a bucket has several shapes, the least product of times wins. The untuned tile stays unless
/// another one is 0.2 % faster. A candidate that fails is refused with what the device says. If it ruins the
/// device and there are `faults`, these record it, so that it does not run again, and DeviceRuined is thrown.
/// Throws mxc::Error: Usage for a simulator without takeCounts or a device without candidates; what `untuned`
/// throws; Device, naming the candidate, if it ruins the device and there are no `faults`.
Tuning tune(const Device &device, const Candidates &candidates, std::span<const Dimensions> shapes,
            const TunerOptions &options = {});

/// Formats a shape as "K = 7168, M = 1000".
std::string shapeText(const Dimensions &dimensions);

} // namespace mxc::tune
