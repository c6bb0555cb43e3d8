// Work that nobody waits for, on threads of low priority that end before the process does.
#pragma once

#include <functional>

namespace mxc {

/// Calls `step` on some threads of its own (half of the processors, at most four) until it returns false.
/// Nothing if work for `owner` was begun before. `step` does not throw. Where no thread is to be had, nothing
/// is done.
void beginBackgroundWork(const void *owner, std::function<bool()> step);

/// Waits for the steps of `owner` that are running, and lets no other begin. In a fork of the process there
/// are none.
void endBackgroundWork(const void *owner);

/// The same for all work, and none begins after it: the process is about to exit. By itself it happens among
/// the exit handlers, which may be late: what the threads use may be gone if they were the first to use it.
void endAllBackgroundWork();

} // namespace mxc
