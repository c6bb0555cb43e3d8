// One launch under many schedules: a right kernel gives the same bits under each.
#pragma once

#include "runtime/simulator/run/Engine.h"

namespace mxc::sim {

/// Runs the launch under eager, lazy and random schedules with the seeds 1 to `options.schedule.seed`, each
/// in a fork of this process, so that they all begin with the same memory, and stops at the first fault, or
/// where device memory differs from what the eager schedule left. If they agree, runs it once more, eagerly,
/// in this process. The fault of a sweep says under which schedule it is found. Its timeline, features and
/// trace are those of the last run alone.
LaunchResult sweep(const Program &program, const Launch &launch, GlobalMemory &memory, const Options &options,
                   KernelServices &services);

/// `sweep` where the options ask for one, else `run`.
LaunchResult runAsScheduled(const Program &program, const Launch &launch, GlobalMemory &memory,
                            const Options &options, KernelServices &services);

} // namespace mxc::sim
