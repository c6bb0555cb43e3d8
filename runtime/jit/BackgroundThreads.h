// Work that nobody waits for, on threads of low priority that end before the process does.
#pragma once

#include <functional>

namespace mxc {

/// Calls `step` on some threads of its own (half of the processors, at most four) until it returns false.
/// Nothing if work for `owner` was begun before. `step` does not throw. Where no thread is to be had, nothing
/// is done. When the process exits, all work is ended before the destructors of those static objects run that
/// were made before this call, or by a step that has returned. A step that makes others may use them after
/// their end: whoever calls has done what a step does once before.
void beginBackgroundWork(const void *owner, std::function<bool()> step);

/// Waits for the steps of `owner` that are running, and lets no other begin. In a fork of the process there
/// are none.
void endBackgroundWork(const void *owner);

} // namespace mxc
