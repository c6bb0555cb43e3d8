// The simulator as a driver table, for openDevice("simulator:sm_100a").
#pragma once

#include "runtime/device/Driver.h"
#include "runtime/simulator/driver/Control.h"

#include <string>

namespace mxc {

/// Device 0 of this table is the chip for `target` ("sm_90a", or another of simulatedChipNames(), or
/// without the suffix). Tables of several targets work side by side. Throws mxc::Error: Usage for a target
/// that is none, or a bad MXC_SIM_* variable (Options.h: read when the target is first asked for); Device
/// without memory.
const Driver &simulatorDriver(const std::string &target);

} // namespace mxc
