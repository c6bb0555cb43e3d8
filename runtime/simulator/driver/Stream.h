// Streams and events. Work runs when it is enqueued, in the caller's thread: a stream is
// always idle.
#pragma once

#include "runtime/simulator/driver/Capture.h"

#include <atomic>
#include <chrono>

namespace mxc::sim {

struct Stream {
  std::weak_ptr<Context> context; // which owns the two default ones
  unsigned flags = CU_STREAM_DEFAULT;
  int priority = 0;
  uint64_t id = 0;
  CUstream handle = nullptr;
  CaptureLink capture;
};

struct Event {
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<Context> context;
  unsigned flags = CU_EVENT_DEFAULT;
  CUevent handle = nullptr;
  std::atomic<bool> isRecorded{false};
  std::atomic<Clock::time_point> time{};
  CaptureLink capture; // recorded in this one

  void record() { time = Clock::now(), isRecorded = true; }
};

} // namespace mxc::sim
