// The order of work on a device: streams, and events between them.
#pragma once

#include "runtime/device/DeviceHandle.h"

namespace mxc {

/// A queue of work that does not wait for the default stream ("non-blocking"). Errors of earlier work on the
/// stream surface in synchronize and isIdle as mxc::Error (Device).
class Stream {
public:
  explicit Stream(const Device &device);

  CUstream handle() const { return handle_.get(); }
  operator CUstream() const { return handle(); }
  const Device &device() const { return handle_.device(); }

  void synchronize() const;
  bool isIdle() const;
  void waitFor(const class Event &event) const; // later work of this stream starts after `event`

private:
  DeviceHandle<CUstream, &Driver::cuStreamDestroy_v2> handle_;
};

/// A point in a stream, with its time.
class Event {
public:
  explicit Event(const Device &device);

  CUevent handle() const { return handle_.get(); }

  void record(CUstream stream) const;
  void synchronize() const;
  /// Returns the time from `start` to this event, to about 0.5 us. Throws mxc::Error unless both have been
  /// reached.
  double microsSince(const Event &start) const;

private:
  DeviceHandle<CUevent, &Driver::cuEventDestroy_v2> handle_;
};

} // namespace mxc
