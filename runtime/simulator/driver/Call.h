// How a function of the driver API runs: what must be there first, and how what it throws becomes its result.
#pragma once

#include "runtime/simulator/driver/Simulator.h"

#include <new>

namespace mxc::sim {

void printUnexpected(const char *what) noexcept;

/// A call of the driver API while it is under way. A fork has no other threads, and whatever they were about
/// to do stays undone there, locks among it: a process that was forked while another thread was in a call
/// cannot use the driver.
class CallInProgress {
public:
  CallInProgress() noexcept;
  ~CallInProgress();
  CallInProgress(const CallInProgress &) = delete;
  CallInProgress &operator=(const CallInProgress &) = delete;

  static bool isProcessUsable() noexcept; // says once on standard error why not
};

/// The result of `body` (CUresult, or void for success), or of what it throws.
template <class Body> CUresult guarded(Body &&body) noexcept {
  if (!CallInProgress::isProcessUsable()) return CUDA_ERROR_NOT_INITIALIZED;
  const CallInProgress call;
  try {
    if constexpr (std::is_void_v<decltype(body())>)
      return body(), CUDA_SUCCESS;
    else
      return body();
  } catch (const Refusal &refusal) {
    return refusal.result;
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    printUnexpected(error.what());
    return CUDA_ERROR_UNKNOWN;
  } catch (...) { // a callback of the caller's may throw anything
    printUnexpected("a callback threw something");
    return CUDA_ERROR_UNKNOWN;
  }
}

/// Needs cuInit.
template <class Body> CUresult started(Body &&body) noexcept {
  return guarded([&] {
    require(Simulator::instance().isStarted(), CUDA_ERROR_NOT_INITIALIZED);
    return body();
  });
}

/// Needs a current context, on which no fault is; waits for its work, and so meets a fault that nobody has
/// seen yet.
template <class Body> CUresult inContext(Body &&body) noexcept {
  return started([&] {
    std::shared_ptr<Context> context = Simulator::instance().current();
    require(context->errorSeen() == CUDA_SUCCESS, context->errorSeen());
    if (CUresult fault = context->wait()) return fault;
    if constexpr (std::is_void_v<decltype(body(context))>)
      return body(context), CUDA_SUCCESS;
    else
      return body(context);
  });
}

/// Needs a current context; enqueues only, so that an unseen fault stays unseen.
template <class Body> CUresult inContextAsync(Body &&body) noexcept {
  return started([&] {
    std::shared_ptr<Context> context = Simulator::instance().current();
    require(context->errorSeen() == CUDA_SUCCESS, context->errorSeen());
    if constexpr (std::is_void_v<decltype(body(context))>)
      return body(context), CUDA_SUCCESS;
    else
      return body(context);
  });
}

/// Runs `work` in `stream`'s order: now, or, where the stream captures, when the graph is launched. On a
/// context that a fault ruined nothing runs.
CUresult enqueue(const std::shared_ptr<Context> &context, CUstream stream, Work work);

} // namespace mxc::sim
