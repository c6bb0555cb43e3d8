// Every environment variable that the runtime and the simulator read; CudaToolkit.cpp has the compiler's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

enum class EnvironmentVariable {
  LibCuda,                  // MXC_LIBCUDA
  SimulatorTarget,          // MXC_SIM_TARGET
  SimulatorChecks,          // MXC_SIM_CHECKS
  SimulatorSchedule,        // MXC_SIM_SCHEDULE
  SimulatorTensor,          // MXC_SIM_TENSOR
  SimulatorThreads,         // MXC_SIM_THREADS
  SimulatorMultiprocessors, // MXC_SIM_SMS
  SimulatorTrace,           // MXC_SIM_TRACE
  SimulatorReport,          // MXC_SIM_REPORT
  SimulatorTimeline,        // MXC_SIM_TIMELINE
  SimulatorTimelineWindow,  // MXC_SIM_TIMELINE_WINDOW
  SimulatorFeatures,        // MXC_SIM_FEATURES
  SimulatorLimit,           // MXC_SIM_LIMIT
  SimulatorMemory,          // MXC_SIM_MEMORY
  Memory,                   // MXC_MEMORY
  CacheSize,                // MXC_CACHE_SIZE
  Tuning,                   // MXC_TUNING
  CacheHome,                // XDG_CACHE_HOME
  Home,                     // HOME
};
constexpr EnvironmentVariable kLastEnvironmentVariable = EnvironmentVariable::Home;

struct EnvironmentEntry {
  EnvironmentVariable variable;
  const char *name;
  std::string_view meaning; // one line, for `--help` and the documentation
};

std::span<const EnvironmentEntry> environmentVariables();

/// Returns the variable's present value; an empty value counts as unset.
std::optional<std::string> environment(EnvironmentVariable variable);

} // namespace mxc
