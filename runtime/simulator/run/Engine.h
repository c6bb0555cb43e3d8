// Runs kernels: a program, a launch, memory; results and faults come back.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/machine/GlobalMemory.h"
#include "runtime/simulator/machine/KernelServices.h"
#include "runtime/simulator/machine/Launch.h"
#include "runtime/simulator/report/Fault.h"
#include "runtime/simulator/report/Statistics.h"

#include <optional>
#include <set>
#include <string>

namespace mxc::sim {

struct Program; // a kernel decoded for execution (machine/Program.h)

struct LaunchResult {
  std::optional<Fault> fault;
  Statistics statistics; // if options.collectStatistics
  std::set<std::string>
      features; // of the clusters that came to their end; if there is an options.featuresFile
};

/// Runs the grid to its end. Any thread may call it; one launch at a time a GlobalMemory.
LaunchResult run(const Program &program, const Launch &launch, GlobalMemory &memory, const Options &options,
                 KernelServices &services);

} // namespace mxc::sim
