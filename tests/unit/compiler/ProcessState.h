// What a library must leave as it was: the process's handlers of signals, mask, locale and environment.
#pragma once

#include <clocale>
#include <csignal>
#include <cstdint>
#include <set>
#include <string>
#include <unistd.h>

/// The state of the process and the calling thread: a line a handler, a blocked signal, a variable.
class ProcessState {
public:
  static ProcessState now() {
    ProcessState state;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action = {};
      if (sigaction(signal, nullptr, &action)) continue;
      state.lines_.insert("signal " + std::to_string(signal) + ": handler " + text(action.sa_handler) +
                          ", flags " + std::to_string(action.sa_flags) +
                          (sigismember(&mask, signal) ? ", blocked" : ""));
    }
    stack_t stack = {};
    sigaltstack(nullptr, &stack);
    state.lines_.insert("signal stack " + text(stack.ss_sp));
    state.lines_.insert(std::string("locale ") + std::setlocale(LC_ALL, nullptr));
    for (char **variable = environ; *variable; ++variable)
      state.lines_.insert(*variable);
    return state;
  }

  /// "" or what came and went since.
  std::string changes() const {
    ProcessState after = now();
    std::string text;
    for (const std::string &line : lines_)
      if (!after.lines_.count(line)) text += "gone: " + line + "\n";
    for (const std::string &line : after.lines_)
      if (!lines_.count(line)) text += "new: " + line + "\n";
    return text;
  }

private:
  template <typename Pointer> static std::string text(Pointer pointer) {
    return std::to_string(reinterpret_cast<uintptr_t>(pointer));
  }
  std::multiset<std::string> lines_;
};
