#include "compiler/guard/HostSignals.h"

#include <pthread.h>

namespace mxc {

HostSignals::HostSignals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&blocked, own);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

HostSignals::~HostSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

} // namespace mxc
