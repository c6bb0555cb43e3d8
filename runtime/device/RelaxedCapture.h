// Lets a thread allocate while a stream captures.
#pragma once

#include "runtime/device/Driver.h"

namespace mxc {

/// Loading code allocates, which a capturing thread's mode forbids unless it is relaxed; this relaxes it
/// while it lives. The load is not a stream's work and does not become part of the graph. (Code may come to
/// the device with its function, not with its module: CUDA programming guide, lazy loading.)
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace mxc
