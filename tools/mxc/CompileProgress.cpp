#include "tools/mxc/CompileProgress.h"

#include <system_error>

namespace mxc {

using namespace std::chrono_literals;

CompileProgress::CompileProgress() {
  if (!line_.isShown()) return;
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error &) { // then the line moves when a step ends
  }
}

CompileProgress::~CompileProgress() {
  if (!watcher_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    hasEnded_ = true;
  }
  ends_.notify_one();
  watcher_.join();
}

void CompileProgress::show(std::string_view doing, size_t done, size_t total) {
  std::lock_guard lock(mutex_);
  doing_ = doing, done_ = done, total_ = total;
  draw();
}

void CompileProgress::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, 1s, [this] { return hasEnded_; }))
    draw();
}

void CompileProgress::draw() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start_).count();
  if (seconds >= 1 && !doing_.empty())
    line_.show(doing_ + ", " + std::to_string(seconds) + " s", done_, total_);
}

} // namespace mxc
