// Captures in progress, and which of them a stream or an event is part of. Any thread may use these.
#pragma once

#include "runtime/simulator/driver/Graph.h"

#include <atomic>
#include <mutex>

namespace mxc::sim {

struct Stream;

/// The capture of one stream, and of those that waited for an event of it.
class Capture {
public:
  Capture(const std::shared_ptr<Context> &context, const Stream *origin);

  const Stream *origin() const { return origin_; }
  uint64_t id() const { return id_; }
  void ruin() { isInvalid_ = true; }
  bool isInvalid() const { return isInvalid_; }
  bool hasEnded() const { return hasEnded_; }

  /// After what was appended last. False: it has ended; the work is left alone. Throws Refusal
  /// (STREAM_CAPTURE_INVALIDATED).
  bool append(Work &work);
  /// From then on the graph is the caller's. Null: it has ended before. Throws likewise, and has ended.
  std::shared_ptr<Graph> end();

private:
  const std::shared_ptr<Graph> graph_;
  const Stream *const origin_;
  const uint64_t id_; // of all captures of the process
  std::mutex mutex_;  // of the graph's nodes
  std::atomic<bool> hasEnded_{false}, isInvalid_{false};
};

class CaptureLink {
public:
  std::shared_ptr<Capture> get() const; // null: part of none, or of one that has ended
  void set(std::shared_ptr<Capture> capture);
  bool begin(std::shared_ptr<Capture> capture); // false: part of one already

private:
  mutable std::mutex mutex_;
  std::shared_ptr<Capture> capture_;
};

} // namespace mxc::sim
