// The order of work on a device: streams, and events between them.
#pragma once

#include "runtime/device/Device.h"

#include <utility>

namespace mxc {

/// A queue of work that does not wait for the default stream ("non-blocking"). Errors of earlier work on the
/// stream surface in synchronize and isIdle as mxc::Error (Device).
class Stream {
public:
  explicit Stream(const Device &device);
  ~Stream() { reset(); }
  Stream(Stream &&other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept;

  CUstream handle() const { return handle_; }
  operator CUstream() const { return handle_; }
  const Device &device() const { return device_; }

  void synchronize() const;
  bool isIdle() const;
  void waitFor(const class Event &event) const; // later work of this stream starts after `event`

private:
  void reset() noexcept;
  Device device_;
  CUstream handle_ = nullptr;
};

/// A point in a stream, with its time.
class Event {
public:
  explicit Event(const Device &device);
  ~Event() { reset(); }
  Event(Event &&other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Event &operator=(Event &&other) noexcept;

  CUevent handle() const { return handle_; }

  void record(CUstream stream) const;
  void synchronize() const;
  /// Returns the time from `start` to this event, to about 0.5 us. Throws mxc::Error unless both have been
  /// reached.
  double microsSince(const Event &start) const;

private:
  void reset() noexcept;
  Device device_;
  CUevent handle_ = nullptr;
};

} // namespace mxc
