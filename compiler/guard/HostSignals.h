// The host's signals while threads of the compiler or of an assembler run.
#pragma once

#include <csignal>

namespace mxc {

/// While it lives, this thread and those that it starts leave to the host's threads every signal that any
/// thread of the process could take. What a fault or a profiler sends is for the thread itself, and arrives.
class HostSignals {
public:
  HostSignals();
  ~HostSignals();
  HostSignals(const HostSignals &) = delete;
  HostSignals &operator=(const HostSignals &) = delete;

private:
  sigset_t before_;
};

} // namespace mxc
