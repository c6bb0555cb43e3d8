#include "runtime/files/NoFileSizeSignal.h"

#include <ctime>
#include <pthread.h>

namespace mxc {

static sigset_t fileSizeSignal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

static bool isPending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

NoFileSizeSignal::NoFileSizeSignal() {
  const sigset_t set = fileSizeSignal();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  wasPending_ = isPending();
}

NoFileSizeSignal::~NoFileSizeSignal() {
  const sigset_t set = fileSizeSignal();
  const timespec atOnce = {};
  if (!wasPending_ && isPending()) sigtimedwait(&set, nullptr, &atOnce); // what this thread's write raised
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

} // namespace mxc
