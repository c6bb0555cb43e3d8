// Tuning in processes of its own: a candidate that faults or never ends takes its process with it, not the
// tuning.
#pragma once

#include "runtime/tune/Tuner.h"

#include <functional>

namespace mxc::tune {

/// Calls `work`, which tunes with these `faults` and returns an exit status, in a fork of this process, and
/// again in a new one as long as a candidate ends it: by DeviceRuined, a signal, or by running longer than it
/// may, for which it is killed. Returns the last one's exit status. The process must have no other threads
/// and must not have started a driver: a fork has neither. Throws mxc::Error (Device) if there can be no
/// other process, one ends by a signal while no candidate runs, or how it ended is not told.
int runIsolated(CandidateFaults &faults, const std::function<int()> &work);

} // namespace mxc::tune
