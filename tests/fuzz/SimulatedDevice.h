// The simulated chip that fuzzers run on: one host thread, little memory, short launches.
#pragma once

#include "runtime/device/Device.h"

#include <cstdlib>
#include <optional>

namespace mxc::fuzz {

inline void setLimits() {
  setenv("MXC_SIM_THREADS", "1", 1);
  setenv("MXC_SIM_MEMORY", "268435456", 1);
  setenv("MXC_SIM_LIMIT", "20000", 1);
}

/// A fault ruins a context: after reset() the next call opens the chip again.
inline std::optional<Device> &device() {
  static std::optional<Device> device;
  if (!device) setLimits(), device = openDevice("simulator:sm_100a");
  return device;
}

} // namespace mxc::fuzz
