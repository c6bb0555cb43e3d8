#include "runtime/simulator/driver/Call.h"

#include <cstdio>

namespace mxc::sim {

void printUnexpected(const char *what) noexcept { std::fprintf(stderr, "simulator: %s\n", what); }

CUresult enqueue(const std::shared_ptr<Context> &context, CUstream handle, Work work, bool isKernel) {
  if (!isKernel) // begins when all before it has ended, and ends before what follows
    work = [context, work = std::move(work)] {
      context->device.memory().settle();
      return work();
    };
  std::shared_ptr<Stream> stream = Simulator::instance().stream(context, handle);
  if (Capture *capture = stream->capturing()) {
    require(!capture->isInvalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    capture->graph->work.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  std::shared_ptr<Context> owner = stream->context.lock();
  return owner && owner->isBroken() ? CUDA_SUCCESS : work();
}

} // namespace mxc::sim
