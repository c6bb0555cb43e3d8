#include "runtime/environment/Environment.h"

#include <cstdlib>

namespace mxc {

static constexpr EnvironmentEntry kVariables[] = {
    {EnvironmentVariable::LibCuda, "MXC_LIBCUDA",
     "shared library that the CUDA driver's functions are taken from (default libcuda.so.1)"},
    {EnvironmentVariable::SimulatorTarget, "MXC_SIM_TARGET",
     "chip of the simulator's libcuda.so.1: "
#define CHIP(name, ...) #name ", "
#include "chips/Chips.def"
     "by default sm_100a"},
    {EnvironmentVariable::SimulatorChecks, "MXC_SIM_CHECKS",
     "what the simulator checks: off, standard (default) or strict, and findings to leave out: "
     "strict,-shared-race"},
    {EnvironmentVariable::SimulatorSchedule, "MXC_SIM_SCHEDULE",
     "when the simulator completes asynchronous operations: eager (default), lazy or random:SEED; "
     "sweep[:SEEDS]: all of "
     "them, to the first difference"},
    {EnvironmentVariable::SimulatorTensor, "MXC_SIM_TENSOR",
     "how the simulator's tensor cores add up: exact (default: as the chip) or f64"},
    {EnvironmentVariable::SimulatorThreads, "MXC_SIM_THREADS",
     "host threads that the simulator runs on (default 0: one a core)"},
    {EnvironmentVariable::SimulatorMultiprocessors, "MXC_SIM_SMS",
     "multiprocessors that the simulated chip says it has (default 0: as many as the real one)"},
    {EnvironmentVariable::SimulatorTrace, "MXC_SIM_TRACE",
     "CTA:WARP whose instructions the simulator prints on standard error"},
    {EnvironmentVariable::SimulatorReport, "MXC_SIM_REPORT",
     "file that the simulator's fault reports are appended to, beside standard error"},
    {EnvironmentVariable::SimulatorTimeline, "MXC_SIM_TIMELINE",
     "file that the simulator writes a timeline to, for Perfetto or Chrome"},
    {EnvironmentVariable::SimulatorTimelineWindow, "MXC_SIM_TIMELINE_WINDOW",
     "FROM:TO, the instructions of each cluster that the timeline holds (default: all)"},
    {EnvironmentVariable::SimulatorFeatures, "MXC_SIM_FEATURES",
     "file that the simulator writes what kernels use of the instruction set to, a line each"},
    {EnvironmentVariable::SimulatorLimit, "MXC_SIM_LIMIT",
     "warp instructions that a cluster may execute before the simulator gives it up (default: no limit)"},
    {EnvironmentVariable::SimulatorMemory, "MXC_SIM_MEMORY",
     "bytes of the host's memory that the simulator may take (default: MXC_MEMORY)"},
    {EnvironmentVariable::Memory, "MXC_MEMORY",
     "bytes of the host's memory that files and tensors may take (default: half of it)"},
    {EnvironmentVariable::CacheSize, "MXC_CACHE_SIZE",
     "bytes that the kernel cache may take on disk (default: 1 GiB); 0: no cache"},
    {EnvironmentVariable::Tuning, "MXC_TUNING", "the tuning database's file"},
    {EnvironmentVariable::CacheHome, "XDG_CACHE_HOME",
     "absolute path of the folder that the kernel cache's folder mxc is in (default: $HOME/.cache)"},
    {EnvironmentVariable::Home, "HOME", "where .cache is, without XDG_CACHE_HOME"},
};

std::span<const EnvironmentEntry> environmentVariables() { return kVariables; }

std::optional<std::string> environment(EnvironmentVariable variable) {
  for (const EnvironmentEntry &entry : kVariables) {
    if (entry.variable != variable) continue;
    const char *value = std::getenv(entry.name);
    if (value && *value) return value;
  }
  return std::nullopt;
}

} // namespace mxc
