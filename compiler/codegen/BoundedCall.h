// A call of somebody else's code that may never come back.
#pragma once

#include <functional>

namespace mxc {

enum class CallEnd {
  Returned,
  Stuck,    // it did not return, and the process used no processor meanwhile; its thread is left alone
  NotBegun, // the system has no thread for it
};

/// Runs `call` on a thread of its own, which leaves the host's signals to the host (HostSignals), and waits
/// with this thread's signals as they are. What `call` uses must be its own: it may go on after a return.
CallEnd callBounded(std::function<void()> call);

} // namespace mxc
