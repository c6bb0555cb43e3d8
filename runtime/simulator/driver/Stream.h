// Streams, events and what they capture. Work runs when it is enqueued, in the caller's thread: a stream is
// always idle.
#pragma once

#include "runtime/simulator/driver/Graph.h"

#include <chrono>

namespace mxc::sim {

/// A capture in progress: of one stream, and of those that waited for an event of it.
struct Capture {
  std::shared_ptr<Graph> graph;
  const Stream *origin = nullptr;
  uint64_t id = 0;
  bool hasEnded = false, isInvalid = false;
};

struct Stream {
  std::weak_ptr<Context> context; // which owns the two default ones
  unsigned flags = CU_STREAM_DEFAULT;
  int priority = 0;
  uint64_t id = 0;
  CUstream handle = nullptr;
  std::shared_ptr<Capture> capture;

  Capture *capturing() const { return capture && !capture->hasEnded ? capture.get() : nullptr; }
};

struct Event {
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<Context> context;
  unsigned flags = CU_EVENT_DEFAULT;
  CUevent handle = nullptr;
  std::atomic<bool> isRecorded{false};
  std::atomic<Clock::time_point> time{};
  std::shared_ptr<Capture> capture; // recorded in this one

  void record() { time = Clock::now(), isRecorded = true; }
};

} // namespace mxc::sim
