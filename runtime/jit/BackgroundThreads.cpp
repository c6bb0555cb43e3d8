#include "runtime/jit/BackgroundThreads.h"

#include "compiler/guard/HostSignals.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mxc {

namespace {

constexpr int kNiceness = 10;

struct Work {
  BackgroundStep step;
  std::atomic<bool> isEnding = false;
  std::atomic<size_t> running = 0; // of the threads
  std::vector<std::thread> threads;

  void join() {
    for (std::thread &thread : threads)
      thread.join();
    threads.clear();
  }
};

class AllWork {
public:
  /// It is never destroyed: threads may outlive statics in a process that ends without exit handlers.
  static AllWork &instance() {
    static AllWork *const all = new AllWork;
    return *all;
  }

  void begin(const void *owner, BackgroundStep step) {
    if (process_ != getpid()) return;
    Ended ended;
    std::lock_guard lock(mutex_);
    if (isExiting_) return;
    ended = takeEnded();
    auto [place, isNew] = work_.try_emplace(owner);
    if (!isNew) return;
    endAtExit();
    place->second = std::make_shared<Work>();
    Work &work = *place->second;
    work.step = std::move(step);
    const HostSignals others; // go to the host's threads
    const unsigned count = std::clamp(std::thread::hardware_concurrency() / 2, 1u, 4u);
    for (unsigned i = 0; i < count; ++i)
      try {
        ++work.running;
        // It is joined before the work goes.
        work.threads.emplace_back([&work] {
          setpriority(PRIO_PROCESS, id_t(gettid()), kNiceness); // of this thread alone, on Linux
          while (!work.isEnding && work.step(work.isEnding))
            endAtExit(); // before the destructors of statics that the step has made
          --work.running;
        });
      } catch (const std::system_error &) {
        --work.running;
        return;
      }
  }

  void end(const void *owner) {
    if (process_ != getpid()) return; // a fork has the objects without their threads, and leaves them
    Ended ended;
    std::lock_guard lock(mutex_);
    auto place = work_.find(owner);
    if (place == work_.end()) return;
    place->second->isEnding = true;
    ending_.push_back(std::move(place->second));
    work_.erase(place);
    ended = takeEnded();
  }

  void exit() {
    if (process_ != getpid()) return;
    std::vector<std::shared_ptr<Work>> all;
    {
      std::lock_guard lock(mutex_);
      isExiting_ = true;
      all.swap(ending_);
      for (auto &[owner, work] : work_)
        all.push_back(std::move(work));
      work_.clear();
    }
    for (const std::shared_ptr<Work> &work : all)
      work->isEnding = true;
    for (const std::shared_ptr<Work> &work : all)
      work->join();
  }

private:
  static void endAtExit() {
    std::atexit([] { instance().exit(); });
  }

  /// Work whose threads are at their end; with the mutex. It goes without: what steps hold is anybody's.
  using Ended = std::vector<std::shared_ptr<Work>>;
  Ended takeEnded() {
    const auto first = std::partition(ending_.begin(), ending_.end(),
                                      [](const std::shared_ptr<Work> &work) { return work->running > 0; });
    Ended ended(std::make_move_iterator(first), std::make_move_iterator(ending_.end()));
    ending_.erase(first, ending_.end());
    for (const std::shared_ptr<Work> &work : ended)
      work->join();
    return ended;
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  bool isExiting_ = false;
  std::vector<std::shared_ptr<Work>> ending_; // whose owners have gone
  std::map<const void *, std::shared_ptr<Work>> work_;
};

} // namespace

void beginBackgroundWork(const void *owner, BackgroundStep step) {
  AllWork::instance().begin(owner, std::move(step));
}

void endBackgroundWork(const void *owner) { AllWork::instance().end(owner); }

} // namespace mxc
