#include "compiler/guard/FatalErrorGuard.h"

#include "compiler/guard/HostSignals.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <vector>

namespace mxc {

namespace {

struct Guard {
  llvm::function_ref<void()> work;
  std::jmp_buf place;
  std::optional<std::string> reason;
};

thread_local Guard *current = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (Guard *guard = current) {
    guard->reason = reason;
    std::longjmp(guard->place, 1);
  }
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // a host's own LLVM: it goes on to end the process
}

constexpr const char *kOutOfMemory = "out of memory"; // short enough for a string without memory

/// Where LLVM's own containers get no memory: it would abort.
void onOutOfMemory(void *, const char *reason, bool isDiagnosed) {
  onFatalError(nullptr, current ? kOutOfMemory : reason, isDiagnosed);
}

// LLVM has one handler for the process and does not tell which.
class HandlerInUse {
public:
  HandlerInUse() {
    std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onOutOfMemory);
  }
  ~HandlerInUse() {
    std::lock_guard lock(mutex_);
    if (--users_ > 0) return;
    llvm::remove_fatal_error_handler();
    llvm::remove_bad_alloc_error_handler();
  }

private:
  static inline std::mutex mutex_;
  static inline int users_ = 0;
};

void *run(void *argument) {
  Guard &guard = *static_cast<Guard *>(argument);
  const void *stackTrace = llvm::SavePrettyStackState(); // entries on the stack that a jump leaves
  Guard *const outer = current;
  current = &guard;
  if (setjmp(guard.place) == 0) {
    try {
      guard.work();
    } catch (const std::bad_alloc &) { // of LLVM's frames, too, which nothing cleans up
      guard.reason = kOutOfMemory;
    }
  } else {
    llvm::RestorePrettyStackState(stackTrace);
  }
  current = outer;
  return nullptr;
}

/// With the stack that LLVM wants and no signal that could go to another thread.
std::optional<pthread_t> startedThread(Guard &guard) {
  constexpr size_t kStackBytes = size_t(8) << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return std::nullopt;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  bool isStarted = false;
  {
    HostSignals signals; // inherited
    isStarted = pthread_create(&thread, &attributes, run, &guard) == 0;
  }
  pthread_attr_destroy(&attributes);
  return isStarted ? std::optional(thread) : std::nullopt;
}

} // namespace

struct GuardedThread::State {
  HandlerInUse handler;
  Guard guard;
  std::optional<pthread_t> thread;
};

GuardedThread::GuardedThread(llvm::function_ref<void()> work)
    : state_(new State{{}, Guard{work, {}, std::nullopt}, std::nullopt}) {
  state_->thread = startedThread(state_->guard);
  if (!state_->thread) run(&state_->guard);
}

GuardedThread::~GuardedThread() { join(); }

std::optional<std::string> GuardedThread::join() {
  if (state_->thread) pthread_join(*state_->thread, nullptr);
  state_->thread.reset();
  return state_->guard.reason;
}

std::optional<std::string> fatalErrorOf(llvm::function_ref<void()> work) {
  return GuardedThread(work).join();
}

void onGuardedThreads(size_t most, llvm::function_ref<void()> work) {
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<GuardedThread>> threads;
  while (threads.size() < std::min(processors, most))
    threads.push_back(std::make_unique<GuardedThread>(work));
  std::optional<std::string> fatal;
  for (auto &thread : threads)
    if (std::optional<std::string> reason = thread->join()) fatal = std::move(reason);
  if (fatal) llvm::report_fatal_error(llvm::StringRef(*fatal), /*gen_crash_diag=*/false);
}

} // namespace mxc
