// What LLVM calls a fatal error as an outcome: it would end the process, and a host outlives a kernel that
// the backend has no instruction for.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace mxc {

/// Work on a thread of its own that what LLVM calls a fatal error only ends.
class GuardedThread {
public:
  /// Begins; `work` is called once and outlives the join.
  explicit GuardedThread(llvm::function_ref<void()> work);
  ~GuardedThread();
  /// Waits for its end, and gives the reason if it came to llvm::report_fatal_error.
  std::optional<std::string> join();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs `work` on a thread of its own, with the stack that LLVM wants whatever the caller's is, and with no
/// signal that could go to another thread (where no thread is to be had: on the caller's). Returns the reason
/// if it came to llvm::report_fatal_error. Then `work` stopped where it stood and nothing was unwound: what
/// it made must neither be used nor freed. It must not throw, and threads that it starts and that can fail
/// are GuardedThreads.
///
/// From the first guard on to the last one's end, LLVM's handler of fatal errors is this one's; threads
/// outside of a guard get what LLVM does without a handler. There are no signal handlers.
std::optional<std::string> fatalErrorOf(llvm::function_ref<void()> work);

/// Calls `work` on as many guarded threads as there are processors, on `most` at most, and waits for their
/// end. A reason of one of them is passed on to llvm::report_fatal_error as if it was the caller's.
void onGuardedThreads(size_t most, llvm::function_ref<void()> work);

} // namespace mxc
