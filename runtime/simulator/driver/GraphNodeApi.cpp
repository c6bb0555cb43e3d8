// Graphs made node by node. What a node does is what the ordinary call would enqueue: it is made into a
// capture of that one call.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Recording.h"

#include <algorithm>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuGraphCreate(CUgraph *phGraph, unsigned flags) {
  return inContextAsync([&](const ContextPointer &context) {
    require(phGraph && flags == 0);
    auto graph = std::make_shared<Graph>();
    graph->context = context;
    *phGraph = Simulator::instance().graphs.add(graph);
  });
}

/// Adds a node of what `call(stream)` enqueues.
template <class Call>
static CUresult addNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeType type, Call &&call) {
  return inContextAsync([&](const ContextPointer &context) {
    require(node && (dependencies || !count));
    Work work;
    if (CUresult failure = record(context, type, call, work)) return failure;
    *node = graphOf(graph)->add(std::move(work), {dependencies, dependencies + count})->handle;
    return CUDA_SUCCESS;
  });
}

CUresult api::cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                      size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_KERNEL,
                 [&](CUstream stream) { return launchOf(*params, stream); });
}

CUresult api::cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                   size_t count, const CUDA_MEMCPY3D *copy, CUcontext) {
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_MEMCPY,
                 [&](CUstream stream) { return api::cuMemcpy3DAsync_v2(copy, stream); });
}

CUresult api::cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                   size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMSET_NODE_PARAMS &fill = *params;
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_MEMSET, [&](CUstream stream) {
    if (fill.elementSize == 1)
      return api::cuMemsetD2D8Async(fill.dst, fill.pitch, uint8_t(fill.value), fill.width, fill.height,
                                    stream);
    if (fill.elementSize == 2)
      return api::cuMemsetD2D16Async(fill.dst, fill.pitch, uint16_t(fill.value), fill.width, fill.height,
                                     stream);
    if (fill.elementSize != 4) return CUDA_ERROR_INVALID_VALUE;
    return api::cuMemsetD2D32Async(fill.dst, fill.pitch, fill.value, fill.width, fill.height, stream);
  });
}

CUresult api::cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_HOST, [&](CUstream stream) {
    return api::cuLaunchHostFunc(stream, params->fn, params->userData);
  });
}

CUresult api::cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count) {
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_EMPTY,
                 [](CUstream) { return CUDA_SUCCESS; });
}

CUresult api::cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                        size_t count, CUevent event) {
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_EVENT_RECORD, [&](CUstream stream) {
    return api::cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL);
  });
}

CUresult api::cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                      size_t count, CUevent event) {
  return addNode(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT, [&](CUstream stream) {
    return api::cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL);
  });
}

CUresult api::cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                       size_t count, CUgraph child) {
  return inContextAsync([&](const ContextPointer &context) {
    require(node && (dependencies || !count));
    auto executable = std::make_shared<GraphExecutable>(); // the child as it is now
    executable->steps = stepsOf(*graphOf(child)), executable->context = context;
    *node = graphOf(graph)->add(childOf(executable), {dependencies, dependencies + count})->handle;
  });
}

CUresult api::cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                        const CUgraphEdgeData *, size_t count) {
  return inContextAsync([&](const ContextPointer &) {
    auto graph = graphOf(hGraph);
    require((from && to) || !count);
    for (size_t i = 0; i < count; ++i) {
      graph->checkHolds(from[i]), graph->checkHolds(to[i]);
      std::vector<CUgraphNode> &known = nodeOf(to[i])->dependencies;
      require(from[i] != to[i] && std::ranges::find(known, from[i]) == known.end());
      known.push_back(from[i]);
    }
  });
}

CUresult api::cuGraphDestroyNode(CUgraphNode hNode) {
  return started([&] {
    auto node = nodeOf(hNode);
    auto graph = node->graph.lock();
    for (const auto &other : graph->nodes)
      std::erase(other->dependencies, hNode);
    std::erase(graph->nodes, node);
    Simulator::instance().graphNodes.remove(hNode);
  });
}

CUresult api::cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
  return inContextAsync([&](const ContextPointer &) {
    require(phGraphClone != nullptr);
    auto original = graphOf(originalGraph), clone = std::make_shared<Graph>();
    clone->context = original->context;
    std::map<CUgraphNode, CUgraphNode> twins;
    for (const auto &node : original->nodes) {
      auto twin = clone->add(node->work, {});
      twin->original = node->handle;
      twins[node->handle] = twin->handle;
    }
    for (size_t i = 0; i < original->nodes.size(); ++i)
      for (CUgraphNode dependency : original->nodes[i]->dependencies)
        clone->nodes[i]->dependencies.push_back(twins.at(dependency));
    *phGraphClone = Simulator::instance().graphs.add(clone);
  });
}

CUresult api::cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
  return started([&] {
    require(phNode != nullptr);
    for (const auto &node : graphOf(hClonedGraph)->nodes)
      if (node->original == hOriginalNode) return *phNode = node->handle, CUDA_SUCCESS;
    return CUDA_ERROR_INVALID_VALUE;
  });
}

} // namespace mxc::sim
