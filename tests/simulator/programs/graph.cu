// REQUIRES: nvcc
// RUN: %run-program %s %t | FileCheck %s
// A graph made node by node: order comes from edges, not from when nodes were added; parameters change; clones and children.
#include <cstdio>
#include <vector>

__global__ void scale(int *x, int factor) { x[threadIdx.x] *= factor; }
__global__ void add(int *x, int summand) { x[threadIdx.x] += summand; }

static int *x, host[32];
static void onHost(void *text) { std::printf("host: %s %d\n", static_cast<char *>(text), host[3]); }

static cudaKernelNodeParams kernel(void *function, void **arguments) {
  cudaKernelNodeParams params{};
  params.func = function, params.gridDim = dim3(1), params.blockDim = dim3(32), params.kernelParams = arguments;
  return params;
}

int main() {
  cudaMalloc(&x, sizeof host);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int factor = 10, summand = 4;
  void *scaling[] = {&x, &factor}, *adding[] = {&x, &summand};
  cudaKernelNodeParams scales = kernel((void *)scale, scaling), adds = kernel((void *)add, adding);
  cudaGraphNode_t fill, multiply, sum, read, tell;
  cudaGraphAddKernelNode(&multiply, graph, nullptr, 0, &scales); // the last kernel, added first
  cudaMemsetParams zeros{};
  zeros.dst = x, zeros.elementSize = 4, zeros.width = 32, zeros.height = 1, zeros.value = 1;
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros);
  cudaGraphAddKernelNode(&sum, graph, &fill, 1, &adds);
  cudaGraphAddDependencies(graph, &sum, &multiply, nullptr, 1);
  cudaGraphAddMemcpyNode1D(&read, graph, &multiply, 1, host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaHostNodeParams told{onHost, const_cast<char *>("read")};
  cudaGraphAddHostNode(&tell, graph, &read, 1, &told);
  cudaGraphExec_t executable;
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  // CHECK: host: read 50
  cudaGraphLaunch(executable, nullptr);

  size_t nodes = 0, edges = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  cudaGraphNodeType type;
  cudaGraphNodeGetType(sum, &type);
  cudaKernelNodeParams found;
  cudaGraphKernelNodeGetParams(sum, &found);
  // CHECK: 5 nodes, 4 edges, 1 roots; a kernel of 32 threads that adds 4: 1
  std::printf("%zu nodes, %zu edges, %zu roots; a kernel of %u threads that adds %d: %d\n", nodes, edges, roots,
              found.blockDim.x, *static_cast<int *>(found.kernelParams[1]),
              found.func == (void *)add && type == cudaGraphNodeTypeKernel);

  factor = 100; // was copied
  // CHECK: host: read 50
  cudaGraphLaunch(executable, nullptr);
  cudaGraphExecKernelNodeSetParams(executable, multiply, &scales);
  // CHECK: host: read 500
  cudaGraphLaunch(executable, nullptr);

  cudaGraph_t clone;
  cudaGraphClone(&clone, graph);
  cudaGraphNode_t twin;
  cudaGraphNodeFindInClone(&twin, sum, clone);
  summand = 5;
  cudaGraphKernelNodeSetParams(twin, &adds);
  cudaGraphExecUpdateResultInfo info;
  // CHECK: updated: no error
  std::printf("updated: %s\n", cudaGetErrorString(cudaGraphExecUpdate(executable, clone, &info)));
  // CHECK: host: read 60
  cudaGraphLaunch(executable, nullptr);
  cudaGraphDestroyNode(tell);
  // CHECK: 910 2
  int failure = cudaGraphExecUpdate(executable, graph, &info);
  std::printf("%d %d\n", failure, info.result);
  cudaGraphAddDependencies(graph, &multiply, &fill, nullptr, 1);
  // CHECK: a cycle: invalid argument
  std::printf("a cycle: %s\n", cudaGetErrorString(cudaGraphInstantiateWithFlags(&executable, graph, 0)));

  cudaGraph_t outer;
  cudaGraphCreate(&outer, 0);
  cudaGraphNode_t child, more;
  cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, clone);
  cudaGraphAddKernelNode(&more, outer, &child, 1, &adds);
  cudaGraphInstantiate(&executable, outer, 0);
  // CHECK: host: read 60
  cudaGraphLaunch(executable, nullptr);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  // CHECK: 65
  std::printf("%d\n", host[0]);
  cudaGraphDestroy(graph), cudaGraphDestroy(clone), cudaGraphDestroy(outer);
  // CHECK: no error
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
