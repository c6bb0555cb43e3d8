// What a library must leave as it was: the process's handlers of signals, mask, locale and environment.
#pragma once

#include <clocale>
#include <csignal>
#include <cstring>
#include <string>
#include <unistd.h>

struct ProcessState {
  /// Of the process and the calling thread, as text that shows what differs.
  static std::string now() {
    std::string text;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action = {};
      if (sigaction(signal, nullptr, &action)) continue;
      text += "signal " + std::to_string(signal) + ": handler " +
              std::to_string(reinterpret_cast<uintptr_t>(action.sa_handler)) + ", flags " +
              std::to_string(action.sa_flags) + (sigismember(&mask, signal) ? ", blocked\n" : "\n");
    }
    stack_t stack = {};
    sigaltstack(nullptr, &stack);
    text += "signal stack " + std::to_string(reinterpret_cast<uintptr_t>(stack.ss_sp)) + "\n";
    text += std::string("locale ") + std::setlocale(LC_ALL, nullptr) + "\n";
    for (char **variable = environ; *variable; ++variable)
      text += std::string(*variable) + "\n";
    return text;
  }
};
