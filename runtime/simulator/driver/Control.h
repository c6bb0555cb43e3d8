// What a host tells the simulated chips, and takes from them, beside the driver API.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/report/Statistics.h"

#include <string>

namespace mxc::sim {

/// How later modules and launches of a target run; at first what the environment says. The target itself
/// stays.
Options simulatorOptions(const std::string &target);
void setSimulatorOptions(const std::string &target, const Options &options);

/// Where a dependent launch stands for one behind a grid that wrote all its inputs (Options::isBehindGrid),
/// that grid did not write the allocation at `address`: weights.
void holdConstant(const std::string &target, uint64_t address);

/// Why a timeline or features could not be written, since the last call; "": they were. It is also printed on
/// standard error, but after keepSimulatorFileFailures: whoever calls that tells it.
std::string takeSimulatorFileFailure(const std::string &target);
void keepSimulatorFileFailures(const std::string &target);

/// Counts of all launches since the last call, where the options collect them.
Statistics takeSimulatorStatistics(const std::string &target);

} // namespace mxc::sim
