// Finds the fastest of a kernel's candidates for shapes, on a device.
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
  /// Of a simulator, whose time says nothing: candidates are ranked by what one launch of each counted.
  TakeCounts takeCounts = {};
  /// Where tuning goes on after a candidate that ruins the device (IsolatedTuning.h).
  CandidateFaults *faults = nullptr;
  /// What a candidate may take to be checked or timed once; at least thirty times what the untuned one takes.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  /// Told what goes on: "131072 x 7168: checking", of how many.
  std::function<void(const std::string &what, size_t done, size_t total)> progress = {};
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

/// No Error: nothing is told to anybody, and the process has to end.
struct DeviceRuined {};

struct Tuning {
  std::vector<ShapeTuning> shapes;
  std::vector<TunedRow> rows; // one a bucket and assembler: what the database is to know
  bool isByCounts = false;
};

/// A candidate competes if its tile takes the shape and its outputs agree byte for byte with those of
/// `untuned`. Of several shapes in a bucket the least product of times counts. The untuned tile stays unless
/// another one is 0.2 % faster. A candidate that fails is refused with what the device says; if the device is
/// ruined, a DeviceRuined is thrown where there are `faults`, which know it then and keep it from running
/// again. Throws mxc::Error: Usage for a simulator without takeCounts or a device that has no candidates,
/// what `untuned` throws, Device, with the candidate, if it ruins the device and there are no `faults`.
Tuning tune(const Device &device, const Candidates &candidates, std::span<const Dimensions> shapes,
            const TunerOptions &options = {});

/// "K = 7168, M = 1000".
std::string shapeText(const Dimensions &dimensions);

} // namespace mxc::tune
