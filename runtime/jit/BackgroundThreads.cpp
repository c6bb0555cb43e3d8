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
  std::function<bool()> step;
  std::atomic<bool> isEnding = false;
  std::vector<std::thread> threads;

  void end() {
    isEnding = true;
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

  void begin(const void *owner, std::function<bool()> step) {
    if (process_ != getpid()) return;
    std::lock_guard lock(mutex_);
    if (isExiting_) return;
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
        work.threads.emplace_back([&work] {
          setpriority(PRIO_PROCESS, id_t(gettid()), kNiceness); // of this thread alone, on Linux
          while (!work.isEnding && work.step())
            endAtExit(); // before the destructors of statics that the step has made
        });
      } catch (const std::system_error &) {
        return;
      }
  }

  void end(const void *owner) {
    if (process_ != getpid()) return; // a fork has the objects without their threads, and leaves them
    std::shared_ptr<Work> work;
    {
      std::lock_guard lock(mutex_);
      auto place = work_.find(owner);
      if (place == work_.end()) return;
      work = std::move(place->second);
      work_.erase(place);
    }
    work->end();
  }

  void exit() {
    if (process_ != getpid()) return;
    std::map<const void *, std::shared_ptr<Work>> all;
    {
      std::lock_guard lock(mutex_);
      isExiting_ = true;
      all.swap(work_);
    }
    for (auto &[owner, work] : all)
      work->isEnding = true;
    for (auto &[owner, work] : all)
      work->end();
  }

private:
  static void endAtExit() {
    std::atexit([] { instance().exit(); });
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  bool isExiting_ = false;
  std::map<const void *, std::shared_ptr<Work>> work_;
};

} // namespace

void beginBackgroundWork(const void *owner, std::function<bool()> step) {
  AllWork::instance().begin(owner, std::move(step));
}

void endBackgroundWork(const void *owner) { AllWork::instance().end(owner); }

} // namespace mxc
