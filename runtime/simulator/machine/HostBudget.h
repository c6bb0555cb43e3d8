// What of the host's memory a launch takes while it runs, beyond what its clusters are made with: functions
// put aside by calls of themselves, what alloca hands out. PTX decides how much, so there is an end to it
// (MXC_SIM_MEMORY).
#pragma once

#include "runtime/simulator/report/Fault.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace mxc::sim {

class HostBudget {
public:
  void set(uint64_t bytes) { left_ = bytes; }

  /// Throws FaultError (Limit) where as much is not left.
  void take(uint64_t bytes) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (bytes > left)
        throw FaultError(FaultKind::Limit,
                         "the launch's calls and stacks take more of the host's memory than the budget "
                         "leaves (MXC_SIM_MEMORY): " +
                             std::to_string(bytes) + " bytes more, " + std::to_string(left) + " left");
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
  }
  void give(uint64_t bytes) noexcept { left_.fetch_add(bytes, std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> left_{0};
};

/// A part of a budget, given back at the end.
class HeldBytes {
public:
  explicit HeldBytes(HostBudget &budget) : budget_(budget) {}
  ~HeldBytes() { budget_.give(bytes_); }
  HeldBytes(const HeldBytes &) = delete;

  void take(uint64_t bytes) {
    budget_.take(bytes);
    bytes_ += bytes;
  }

private:
  HostBudget &budget_;
  uint64_t bytes_ = 0;
};

} // namespace mxc::sim
