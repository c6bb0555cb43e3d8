// What a compilation does now, on a terminal, once it has taken a second.
#pragma once

#include "tools/mxc/ProgressLine.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mxc {

/// A line that shows the step and the seconds so far, of which an assembler that says nothing takes many.
/// Gone when it goes.
class CompileProgress {
public:
  CompileProgress();
  ~CompileProgress();

  void show(std::string_view doing, size_t done, size_t total); // from any thread

private:
  using Clock = std::chrono::steady_clock;
  void watch();
  void draw(); // with the lock

  ProgressLine line_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable ends_;
  bool hasEnded_ = false;
  std::string doing_;
  size_t done_ = 0, total_ = 0;
  std::thread watcher_;
};

} // namespace mxc
