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
    std::lock_guard lock(mutex_);
    if (isExiting_) return;
    joinThoseThatEnded();
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
        work.threads.emplace_back([&work] {                     // it is joined before the work goes
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
    std::lock_guard lock(mutex_);
    auto place = work_.find(owner);
    if (place == work_.end()) return;
    place->second->isEnding = true;
    ending_.push_back(std::move(place->second));
    work_.erase(place);
    joinThoseThatEnded();
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

  /// With the mutex.
  void joinThoseThatEnded() {
    std::erase_if(ending_, [](const std::shared_ptr<Work> &work) {
      if (work->running > 0) return false;
      work->join();
      return true;
    });
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
