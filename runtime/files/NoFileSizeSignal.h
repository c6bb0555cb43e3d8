// Writes beyond the limit on the size of files fail without a signal.
#pragma once

#include <csignal>

namespace mxc {

/// While it lives, a write of this thread beyond RLIMIT_FSIZE only fails with EFBIG; by default SIGXFSZ would
/// end the process. The same thread must make and destroy it, which restores the thread's signal mask.
class NoFileSizeSignal {
public:
  NoFileSizeSignal();
  ~NoFileSizeSignal();
  NoFileSizeSignal(const NoFileSizeSignal &) = delete;
  NoFileSizeSignal &operator=(const NoFileSizeSignal &) = delete;

private:
  sigset_t before_;
  bool wasPending_;
};

} // namespace mxc
