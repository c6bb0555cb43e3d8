// What processes do to each other: a copy of this one that runs a function.
#pragma once

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

/// A child's exit status: what its test needs cannot be arranged here.
inline constexpr int kNotAllowed = 77;

/// The child has ended with 0, unless it could not begin.
inline void checkUnlessNotAllowed(int status) {
  if (status == kNotAllowed)
    WARN("not tested: mounts, or filters of system calls, are not allowed here");
  else
    CHECK(status == 0);
}

class ChildProcess {
public:
  /// `work` returns the exit status.
  explicit ChildProcess(const std::function<int()> &work) : id_(fork()) {
    if (id_ != 0) return;
    int status = 255;
    try {
      status = work();
    } catch (const std::exception &) {
    }
    _exit(status);
  }
  ChildProcess(ChildProcess &&other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ~ChildProcess() {
    if (id_ > 0) kill();
  }

  /// Its exit status; 128 and more: by a signal.
  int wait() {
    int status = 0;
    waitpid(std::exchange(id_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// As wait(); it is killed where it takes longer.
  int wait(std::chrono::seconds patience) {
    siginfo_t ended = {};
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;
         usleep(5000))
      if (waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          ended.si_pid == id_)
        return wait();
    return kill();
  }
  int kill(int signal = SIGKILL) {
    ::kill(id_, signal);
    return wait();
  }
  /// Returns when it has stopped itself.
  void waitUntilStopped() {
    int status = 0;
    waitpid(id_, &status, WUNTRACED);
  }

private:
  pid_t id_;
};
