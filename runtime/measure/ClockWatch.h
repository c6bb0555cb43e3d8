// Watches whether a device's clocks kept still during a measurement.
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
  uint64_t throttling = 0; // NVML's bits, except those that slow nothing (idle, set by an application)
};

/// Asks for the present clocks; returns nothing if nobody tells.
using ReadClocks = std::function<std::optional<ClockReading>()>;

/// The mean clocks of several readings. A chip at its power limit alternates between neighbouring clocks, and
/// over a while it works at their mean.
class ClockMean {
public:
  void add(const ClockReading &reading);
  std::optional<ClockReading> value() const; // nothing if there are none

private:
  uint64_t readings_ = 0, multiprocessor_ = 0, memory_ = 0, throttling_ = 0;
};

/// The range of the readings of one measurement.
struct ClockRange {
  int readings = 0;
  ClockReading lowest = {}, highest = {}; // throttling: that of all readings, in both
  std::string unknown = {};               // why there are none; "": there are

  void add(const ClockReading &reading);
  void addAll(const ClockRange &range);
  /// Returns how far the multiprocessors' or the memory's clock moved, relative to the highest: 0.01 is one
  /// percent.
  double movement() const;
  /// Returns "1980 MHz, memory 3201 MHz", "1650 to 1980 MHz (power limit), ..", or why the clocks are
  /// unknown.
  std::string text() const;
  std::string multiprocessorText() const; // "1650 to 1980", in MHz; "" of no readings
};

/// Asks NVML (libnvidia-ml.so.1), which comes with most drivers.
class ClockWatch {
public:
  /// Does not throw if something is missing: `unknown` says what.
  explicit ClockWatch(const Device &device);

  const std::string &unknown() const { return unknown_; }
  std::optional<ClockReading> read() const;

private:
  void *handle_ = nullptr; // nvmlDevice_t
  std::string unknown_;
};

} // namespace mxc::measure
