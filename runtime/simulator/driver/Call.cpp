#include "runtime/simulator/driver/Call.h"

#include <atomic>
#include <cstdio>
#include <pthread.h>

namespace mxc::sim {

static std::atomic<int64_t> callsInProgress{0}; // of all threads
static thread_local int64_t ownCalls = 0;       // a callback may call again
static std::atomic<bool> isForkBroken{false}, isForkTold{false};

static void inForkedChild() {
  isForkBroken = isForkBroken || callsInProgress != ownCalls;
  callsInProgress = ownCalls;
}

CallInProgress::CallInProgress() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, inForkedChild);
  (void)registered;
  ++callsInProgress, ++ownCalls;
}
CallInProgress::~CallInProgress() { --callsInProgress, --ownCalls; }

bool CallInProgress::isProcessUsable() noexcept {
  if (!isForkBroken) return true;
  if (!isForkTold.exchange(true))
    std::fputs(
        "simulator: this process was forked while another thread was in a call of the driver: it cannot "
        "use the driver\n",
        stderr);
  return false;
}

void printUnexpected(const char *what) noexcept { std::fprintf(stderr, "simulator: %s\n", what); }

CUresult enqueue(const std::shared_ptr<Context> &context, CUstream handle, Work work) {
  if (work.type !=
      CU_GRAPH_NODE_TYPE_KERNEL) // begins when all before it has ended, and ends before what follows
    work.run = [context, run = std::move(work.run)] {
      context->device.memory().settle();
      return run();
    };
  std::shared_ptr<Stream> stream = Simulator::instance().stream(context, handle);
  if (std::shared_ptr<Capture> capture = stream->capture.get(); capture && capture->append(work))
    return CUDA_SUCCESS;
  std::shared_ptr<Context> owner = stream->context.lock();
  return owner && owner->isBroken() ? CUDA_SUCCESS : work.run();
}

} // namespace mxc::sim
