// The simulator as a driver table, for openDevice("simulator:sm_100a").
#pragma once

#include "runtime/device/Driver.h"
#include "runtime/simulator/Options.h"
#include "runtime/simulator/report/Statistics.h"

#include <string>

namespace mxc {

/// Device 0 of this table is the chip for `target` ("sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a", or
/// without the suffix). Tables of several targets work side by side. Throws mxc::Error: Usage for a target
/// that is none, or a bad MXC_SIM_* variable (Options.h: read when the target is first asked for); Device
/// without memory.
const Driver &simulatorDriver(const std::string &target);

namespace sim {

/// How later modules and launches of a target run; at first what the environment says. The target itself
/// stays.
Options simulatorOptions(const std::string &target);
void setSimulatorOptions(const std::string &target, const Options &options);

/// Where a dependent launch stands for one after a grid that wrote all its inputs (Options::isBehindGrid),
/// that grid did not write the allocation at `address`: weights.
void holdConstant(const std::string &target, uint64_t address);

/// Why a timeline or features could not be written, since the last call; "": they were. It is also printed on
/// standard error, but after keepSimulatorFileFailures: whoever calls that tells it.
std::string takeSimulatorFileFailure(const std::string &target);
void keepSimulatorFileFailures(const std::string &target);

/// Counts of all launches since the last call, where the options collect them.
Statistics takeSimulatorStatistics(const std::string &target);

} // namespace sim
} // namespace mxc
