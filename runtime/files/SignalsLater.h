// Signals that wait.
#pragma once

#include <csignal>
#include <pthread.h>

namespace mxc {

/// Blocks signals to this thread while it lives: none ends the process between two steps that belong
/// together.
class SignalsLater {
public:
  SignalsLater() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsLater() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsLater(const SignalsLater &) = delete;
  SignalsLater &operator=(const SignalsLater &) = delete;

private:
  sigset_t before_;
};

} // namespace mxc
