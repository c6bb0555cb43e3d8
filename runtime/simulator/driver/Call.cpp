#include "runtime/simulator/driver/Call.h"

#include <cstdio>

namespace mxc::sim {

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
