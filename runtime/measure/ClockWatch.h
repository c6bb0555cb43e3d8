// Whether a device's clocks kept still while something was measured.
#pragma once

#include "runtime/device/Device.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mxc::measure {

struct ClockReading {
  unsigned multiprocessorMegahertz = 0, memoryMegahertz = 0;
  uint64_t throttling = 0; // NVML's bits, without those that are no brake (idle, set by an application)
};

/// Asks for the clocks as they are; nothing where nobody tells.
using ReadClocks = std::function<std::optional<ClockReading>()>;

/// The mean clocks of several readings: a chip at its power limit goes to and fro between neighbouring
/// clocks, and what it does in some time it does at their mean.
class ClockMean {
public:
  void add(const ClockReading &reading);
  std::optional<ClockReading> value() const; // nothing of none

private:
  uint64_t readings_ = 0, multiprocessor_ = 0, memory_ = 0, throttling_ = 0;
};

/// The range of the readings of one measurement.
struct ClockRange {
  int readings = 0;
  ClockReading lowest = {}, highest = {}; // throttling: of all readings, in both
  std::string unknown = {};               // why there are none; "": there are

  void add(const ClockReading &reading);
  void addAll(const ClockRange &range);
  /// How far the multiprocessors' clock, or the memory's, moved, over the highest: 0.01 is one percent.
  double movement() const;
  /// "1980 MHz, memory 3201 MHz", "1650 to 1980 MHz (power limit), ..", or why nobody knows.
  std::string text() const;
  std::string multiprocessorText() const; // "1650 to 1980", in MHz; "" of no readings
};

/// Asks NVML (libnvidia-ml.so.1), which comes with the driver and is not always there.
class ClockWatch {
public:
  /// Throws nothing for what is missing: `unknown` says it.
  explicit ClockWatch(const Device &device);

  const std::string &unknown() const { return unknown_; }
  std::optional<ClockReading> read() const;

private:
  void *handle_ = nullptr; // nvmlDevice_t
  std::string unknown_;
};

} // namespace mxc::measure
