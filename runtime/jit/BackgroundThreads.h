// Work that nobody waits for, on threads of low priority that end before the process does.
#pragma once

#include <atomic>
#include <functional>

namespace mxc {

/// What a thread of low priority does at a time; false: there is no more. `isEnding` becomes true where
/// nobody wants the rest: a step then ends as soon as it can. It does not throw.
using BackgroundStep = std::function<bool(const std::atomic<bool> &isEnding)>;

/// Calls `step` on some threads of its own (half of the processors, at most four) until it returns false.
/// Nothing if work for `owner` was begun before. Where no thread is to be had, nothing
/// is done. When the process exits, all work is ended before the destructors of those static objects run that
/// were made before this call, or by a step that has returned. A step that makes others may use them after
/// their end: whoever calls has done what a step does once before.
void beginBackgroundWork(const void *owner, BackgroundStep step);

/// Lets no step of `owner` begin, and those that are running end in their own time: nobody waits for them but
/// the process's exit. In a fork of the process there are none.
void endBackgroundWork(const void *owner);

} // namespace mxc
