// What graphs consist of: nodes, edges, types; the launches of kernel nodes, told and changed.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Recording.h"

#include <algorithm>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

/// To an array of *count handles, or, if there is none, their number.
static void give(const std::vector<CUgraphNode> &found, CUgraphNode *to, size_t *count) {
  require(count != nullptr);
  if (!to) {
    *count = found.size();
    return;
  }
  for (size_t i = 0; i < *count; ++i)
    to[i] = i < found.size() ? found[i] : nullptr;
  *count = std::min(*count, found.size());
}

static CUresult giveNodes(CUgraph graph, CUgraphNode *nodes, size_t *count, bool areRoots) {
  return started([&] {
    std::vector<CUgraphNode> found;
    for (const auto &node : graphOf(graph)->nodes)
      if (!areRoots || node->dependencies.empty()) found.push_back(node->handle);
    give(found, nodes, count);
  });
}
CUresult api::cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
  return giveNodes(hGraph, nodes, numNodes, false);
}
CUresult api::cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
  return giveNodes(hGraph, rootNodes, numRootNodes, true);
}

CUresult api::cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                 CUgraphEdgeData *edgeData, size_t *numEdges) {
  return started([&] {
    require(numEdges && !from == !to);
    std::vector<CUgraphNode> froms, tos;
    for (const auto &node : graphOf(hGraph)->nodes)
      for (CUgraphNode dependency : node->dependencies)
        froms.push_back(dependency), tos.push_back(node->handle);
    size_t count = *numEdges;
    give(froms, from, &count);
    give(tos, to, numEdges);
    if (from && edgeData) std::fill_n(edgeData, *numEdges, CUgraphEdgeData{});
  });
}

CUresult api::cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                            CUgraphEdgeData *edgeData, size_t *numDependencies) {
  return started([&] {
    give(nodeOf(hNode)->dependencies, dependencies, numDependencies);
    if (dependencies && edgeData) std::fill_n(edgeData, *numDependencies, CUgraphEdgeData{});
  });
}

CUresult api::cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
  return started([&] {
    require(type != nullptr);
    *type = nodeOf(hNode)->work.type;
  });
}

CUresult api::cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *params) {
  return started([&] {
    require(params != nullptr);
    auto call = nodeOf(hNode)->work.kernel;
    require(call != nullptr);
    const auto &[grid, block] = std::pair(call->launch.grid, call->launch.block);
    *params = {};
    params->func = call->function->handle;
    params->gridDimX = grid[0], params->gridDimY = grid[1], params->gridDimZ = grid[2];
    params->blockDimX = block[0], params->blockDimY = block[1], params->blockDimZ = block[2];
    params->sharedMemBytes = call->launch.dynamicSharedBytes;
    params->kernelParams = const_cast<void **>(call->arguments.data());
  });
}

/// What the parameters ask for, instead of what was.
static CUresult replace(const ContextPointer &context, Work &work, const CUDA_KERNEL_NODE_PARAMS *params) {
  require(params && work.kernel);
  return record(
      context, CU_GRAPH_NODE_TYPE_KERNEL, [&](CUstream stream) { return launchOf(*params, stream); }, work);
}

CUresult api::cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *params) {
  return inContextAsync(
      [&](const ContextPointer &context) { return replace(context, nodeOf(hNode)->work, params); });
}

CUresult api::cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_KERNEL_NODE_PARAMS *params) {
  return inContextAsync([&](const ContextPointer &context) {
    auto executable = Simulator::instance().graphExecutables.find(hGraphExec);
    require(executable != nullptr);
    auto step = std::ranges::find(executable->steps, hNode, &GraphExecutable::Step::node);
    require(step != executable->steps.end());
    return replace(context, step->work, params);
  });
}

// The steps of a graph of the same kind of nodes take the place of the former ones.
CUresult api::cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                   CUgraphExecUpdateResultInfo *info) {
  return inContextAsync([&](const ContextPointer &) {
    auto executable = Simulator::instance().graphExecutables.find(hGraphExec);
    require(executable && info);
    std::vector<GraphExecutable::Step> steps = stepsOf(*graphOf(hGraph));
    auto type = [](const GraphExecutable::Step &step) { return step.work.type; };
    *info = {};
    if (!std::ranges::equal(executable->steps, steps, {}, type, type)) {
      info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    for (size_t i = 0; i < steps.size(); ++i) // nodes keep the names that they were instantiated with
      executable->steps[i].work = std::move(steps[i].work);
    return CUDA_SUCCESS;
  });
}

} // namespace mxc::sim
