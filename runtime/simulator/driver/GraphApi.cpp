// Graphs that run.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          unsigned long long flags) {
  return inContextAsync([&](const ContextPointer &) {
    require(phGraphExec != nullptr);
    require(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH), CUDA_ERROR_NOT_SUPPORTED);
    auto graph = graphOf(hGraph);
    auto executable = std::make_shared<GraphExecutable>();
    executable->steps = stepsOf(*graph), executable->context = graph->context;
    *phGraphExec = Simulator::instance().graphExecutables.add(executable);
  });
}
CUresult api::cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = api::cuGraphInstantiateWithFlags(phGraphExec, hGraph, params->flags);
  params->hErrNode_out = nullptr;
  params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

static std::shared_ptr<GraphExecutable> executableOf(CUgraphExec handle) {
  auto found = Simulator::instance().graphExecutables.find(handle);
  require(found != nullptr);
  return found;
}

CUresult api::cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    executableOf(hGraphExec);
    Simulator::instance().stream(context, hStream);
  });
}

CUresult api::cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    auto executable = executableOf(hGraphExec);
    return enqueue(context, hStream,
                   childOf(executable)); // a stream that captures takes the graph as a child
  });
}

CUresult api::cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return started([&] { require(Simulator::instance().graphExecutables.remove(hGraphExec) != nullptr); });
}
CUresult api::cuGraphDestroy(CUgraph hGraph) {
  return started([&] { require(Simulator::instance().graphs.remove(hGraph) != nullptr); });
}

} // namespace mxc::sim
