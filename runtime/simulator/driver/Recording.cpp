#include "runtime/simulator/driver/Recording.h"

#include "runtime/simulator/driver/Api.h"

namespace mxc::sim {

Recording::Recording(const std::shared_ptr<Context> &context) : stream_(std::make_shared<Stream>()) {
  stream_->context = context;
  stream_->capture = std::make_shared<Capture>();
  stream_->capture->graph = std::make_shared<Graph>();
  stream_->capture->graph->context = context;
  stream_->capture->origin = stream_.get();
  Simulator::instance().streams.add(stream_);
}

Recording::~Recording() { Simulator::instance().streams.remove(stream_->handle); }

Work Recording::work(CUgraphNodeType type) const {
  const std::vector<std::shared_ptr<GraphNode>> &nodes = stream_->capture->graph->nodes;
  if (nodes.size() == 1) return nodes[0]->work;
  require(nodes.empty(), CUDA_ERROR_NOT_SUPPORTED);
  return {type, [] { return CUDA_SUCCESS; }}; // copies of no bytes, waits
}

CUresult launchOf(const CUDA_KERNEL_NODE_PARAMS &params, CUstream stream) {
  CUfunction function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  return api::cuLaunchKernel(function, params.gridDimX, params.gridDimY, params.gridDimZ, params.blockDimX,
                             params.blockDimY, params.blockDimZ, params.sharedMemBytes, stream,
                             params.kernelParams, params.extra);
}

} // namespace mxc::sim
