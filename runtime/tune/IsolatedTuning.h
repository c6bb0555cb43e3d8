// Tunes in separate processes: a candidate that faults or never ends takes down its process, not the tuning.
#pragma once

#include "runtime/tune/Tuner.h"

#include <functional>

namespace mxc::tune {

/// Calls `work`, which tunes with these `faults` and returns an exit status, in a fork of this process, and
/// again in a new fork as long as a candidate ends it: by DeviceRuined, by a signal, or by running too long,
/// for which it is killed. Returns the last fork's exit status. The process must have no other threads and
/// must not have started a driver: a fork has neither. Throws mxc::Error (Device) if it cannot fork, if a
/// fork ends by a signal while no candidate runs, or if the system does not tell how it ended.
int runIsolated(CandidateFaults &faults, const std::function<int()> &work);

} // namespace mxc::tune
