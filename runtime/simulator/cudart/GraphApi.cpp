// Graphs: of captured streams, and made node by node. Kernels go by their host functions here.
#include "runtime/simulator/cudart/Registry.h"

using namespace mxc::sim::cudart;

/// The driver's form of a kernel node: its kernel may also be a function that the driver named.
static CUresult nodeOf(const cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS &to) {
  if (!from) return CUDA_ERROR_INVALID_VALUE;
  to = {};
  if (CUresult failure = findFunction(from->func, to.func)) return failure;
  to.gridDimX = from->gridDim.x, to.gridDimY = from->gridDim.y, to.gridDimZ = from->gridDim.z;
  to.blockDimX = from->blockDim.x, to.blockDimY = from->blockDim.y, to.blockDimZ = from->blockDim.z;
  to.sharedMemBytes = from->sharedMemBytes;
  to.kernelParams = from->kernelParams, to.extra = from->extra;
  return CUDA_SUCCESS;
}

/// What an edge says beside its ends; the two have one layout.
static const CUgraphEdgeData *edges(const cudaGraphEdgeData *data) {
  static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData));
  return reinterpret_cast<const CUgraphEdgeData *>(data);
}
static CUgraphEdgeData *edges(cudaGraphEdgeData *data) { return reinterpret_cast<CUgraphEdgeData *>(data); }

/// Runs `call` with a kernel node's parameters.
template <class Call> static cudaError_t withNode(const cudaKernelNodeParams *parameters, Call &&call) {
  return started([&] {
    CUDA_KERNEL_NODE_PARAMS node;
    if (CUresult failure = nodeOf(parameters, node)) return failure;
    return call(node);
  });
}

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return started([&] { return cuGraphCreate(graph, flags); });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return started([&] { return cuGraphDestroy(graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  return started([&] { return cuGraphClone(clone, graph); });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
  return started([&] { return cuGraphNodeFindInClone(node, original, clone); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaKernelNodeParams *parameters) {
  return withNode(parameters, [&](const CUDA_KERNEL_NODE_PARAMS &kernel) {
    return cuGraphAddKernelNode(node, graph, dependencies, count, &kernel);
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemcpy3DParms *parameters) {
  return started([&] {
    CUDA_MEMCPY3D copy;
    if (CUresult failure = boxOf(parameters, copy)) return failure;
    return cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy, nullptr);
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms line{};
  line.dstPtr = {to, bytes, bytes, 1}, line.srcPtr = {const_cast<void *>(from), bytes, bytes, 1};
  line.extent = {bytes, 1, 1}, line.kind = kind;
  return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &line);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemsetParams *parameters) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return started([&] {
    CUDA_MEMSET_NODE_PARAMS fill{address(parameters->dst), parameters->pitch, parameters->value,
                                 parameters->elementSize,  parameters->width, parameters->height};
    return cuGraphAddMemsetNode(node, graph, dependencies, count, &fill, nullptr);
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const cudaHostNodeParams *parameters) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return started([&] {
    CUDA_HOST_NODE_PARAMS host{};
    host.fn = parameters->fn, host.userData = parameters->userData;
    return cuGraphAddHostNode(node, graph, dependencies, count, &host);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
  return started([&] { return cuGraphAddEmptyNode(node, graph, dependencies, count); });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event) {
  return started([&] { return cuGraphAddEventRecordNode(node, graph, dependencies, count, event); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count, cudaEvent_t event) {
  return started([&] { return cuGraphAddEventWaitNode(node, graph, dependencies, count, event); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count, cudaGraph_t child) {
  return started([&] { return cuGraphAddChildGraphNode(node, graph, dependencies, count, child); });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count) {
  return started([&] { return cuGraphAddDependencies(graph, from, to, edges(data), count); });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return started([&] { return cuGraphDestroyNode(node); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return started([&] { return cuGraphGetNodes(graph, nodes, count); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return started([&] { return cuGraphGetRootNodes(graph, nodes, count); });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *count) {
  return started([&] { return cuGraphGetEdges(graph, from, to, edges(data), count); });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         cudaGraphEdgeData *data, size_t *count) {
  return started([&] { return cuGraphNodeGetDependencies(node, dependencies, edges(data), count); });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return started([&] { return cuGraphNodeGetType(node, reinterpret_cast<CUgraphNodeType *>(type)); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  if (!parameters) return report(cudaErrorInvalidValue);
  return started([&] {
    CUDA_KERNEL_NODE_PARAMS kernel;
    if (CUresult failure = cuGraphKernelNodeGetParams(node, &kernel)) return failure;
    *parameters = {};
    parameters->func = const_cast<void *>(hostOf(kernel.func));
    parameters->gridDim = dim3(kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ);
    parameters->blockDim = dim3(kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
    parameters->sharedMemBytes = kernel.sharedMemBytes;
    parameters->kernelParams = kernel.kernelParams;
    return CUDA_SUCCESS;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *parameters) {
  return withNode(parameters, [&](const CUDA_KERNEL_NODE_PARAMS &kernel) {
    return cuGraphKernelNodeSetParams(node, &kernel);
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  return withNode(parameters, [&](const CUDA_KERNEL_NODE_PARAMS &kernel) {
    return cuGraphExecKernelNodeSetParams(executable, node, &kernel);
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo));
  return started([&] {
    return cuGraphExecUpdate(executable, graph, reinterpret_cast<CUgraphExecUpdateResultInfo *>(info));
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return started([&] { return cuGraphInstantiateWithFlags(executable, graph, flags); });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters) {
  static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
  return started([&] {
    return cuGraphInstantiateWithParams(executable, graph,
                                        reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS *>(parameters));
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return started([&] { return cuGraphUpload(executable, stream); });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return started([&] { return cuGraphLaunch(executable, stream); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return started([&] { return cuGraphExecDestroy(executable); });
}

} // extern "C"

MXC_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)
MXC_PER_THREAD(cudaGraphLaunch, _ptsz)
MXC_PER_THREAD(cudaGraphUpload, _ptsz)
