// What a call enqueues, as the work of one graph node: the call gets a stream that captures.
#pragma once

#include "runtime/simulator/driver/Simulator.h"

namespace mxc::sim {

/// A stream of its own that captures, until it goes.
class Recording {
public:
  explicit Recording(const std::shared_ptr<Context> &context);
  ~Recording();
  Recording(const Recording &) = delete;

  CUstream stream() const { return stream_->handle; }
  Work work(CUgraphNodeType type) const; // all that was enqueued since; once

private:
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<Capture> capture_;
};

template <class Call>
CUresult record(const std::shared_ptr<Context> &context, CUgraphNodeType type, Call &&call, Work &to) {
  Recording recording(context);
  CUresult result = call(recording.stream());
  if (result == CUDA_SUCCESS) to = recording.work(type);
  return result;
}

/// The launch that a kernel node's parameters ask for.
CUresult launchOf(const CUDA_KERNEL_NODE_PARAMS &params, CUstream stream);

} // namespace mxc::sim
