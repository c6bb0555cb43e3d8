#include "compiler/codegen/BoundedCall.h"
#include "compiler/guard/HostSignals.h"

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <pthread.h>

namespace mxc {

namespace {

struct Call {
  std::function<void()> work;
  std::mutex mutex;
  std::condition_variable changed;
  bool hasReturned = false;
};

} // namespace

static void *run(void *argument) {
  const std::unique_ptr<std::shared_ptr<Call>> call(static_cast<std::shared_ptr<Call> *>(argument));
  (*call)->work();
  const std::lock_guard lock((*call)->mutex);
  (*call)->hasReturned = true;
  (*call)->changed.notify_all();
  return nullptr;
}

static std::chrono::nanoseconds processorTime() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

CallEnd callBounded(std::function<void()> work) {
  // Looks are counted, not seconds: a process that was stopped has not been looked at. One that works uses
  // far more of a look than waiting for it does.
  constexpr std::chrono::milliseconds kLook(100), kBusy(1);
  constexpr int kMostIdleLooks = 150, kMostLooks = 6000;
  auto call = std::make_shared<Call>();
  call->work = std::move(work);
  auto argument = std::make_unique<std::shared_ptr<Call>>(call);
  {
    HostSignals signals; // as the new thread has them
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, argument.get()) != 0) return CallEnd::NotBegun;
    pthread_detach(thread);
  }
  (void)argument.release(); // the thread's
  std::unique_lock lock(call->mutex);
  std::chrono::nanoseconds used = processorTime();
  for (int looks = 0, idle = 0; looks < kMostLooks && idle < kMostIdleLooks; ++looks) {
    if (call->changed.wait_for(lock, kLook, [&] { return call->hasReturned; })) return CallEnd::Returned;
    const std::chrono::nanoseconds now = processorTime();
    idle = now - used < kBusy ? idle + 1 : 0;
    used = now;
  }
  return CallEnd::Stuck;
}

} // namespace mxc
