#include "runtime/simulator/driver/Recording.h"

#include "runtime/simulator/driver/Api.h"

namespace mxc::sim {

Recording::Recording(const std::shared_ptr<Context> &context)
    : stream_(std::make_shared<Stream>()), capture_(std::make_shared<Capture>(context, stream_.get())) {
  stream_->context = context;
  stream_->capture.set(capture_);
  Simulator::instance().streams.add(stream_);
}

Recording::~Recording() { Simulator::instance().streams.remove(stream_->handle); }

Work Recording::work(CUgraphNodeType type) const {
  const std::shared_ptr<Graph> graph = capture_->end();
  require(graph != nullptr);
  if (graph->nodes.size() == 1) return graph->nodes[0]->work;
  require(graph->nodes.empty(), CUDA_ERROR_NOT_SUPPORTED);
  return {type, [] { return CUDA_SUCCESS; }}; // copies of no bytes, waits
}

CUresult launchOf(const CUDA_KERNEL_NODE_PARAMS &params, CUstream stream) {
  CUfunction function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  return api::cuLaunchKernel(function, params.gridDimX, params.gridDimY, params.gridDimZ, params.blockDimX,
                             params.blockDimY, params.blockDimZ, params.sharedMemBytes, stream,
                             params.kernelParams, params.extra);
}

} // namespace mxc::sim
