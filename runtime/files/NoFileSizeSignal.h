// Writes beyond the limit on the size of files, in a host that has one.
#pragma once

#include <csignal>

namespace mxc {

/// While it lives, a write of this thread beyond RLIMIT_FSIZE fails with EFBIG and that is all: by default
/// SIGXFSZ ends the process. Made and destroyed by one thread; its mask of signals is then as it was.
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
