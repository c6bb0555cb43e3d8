// REQUIRES: nvcc
// RUN: %run-program %s %t | FileCheck %s
// malloc, free, new and delete in kernels: a list that one kernel builds and the next one walks; a heap that is full.
#include <cstdio>

struct Node {
  int value;
  Node *next;
};
__device__ Node *heads[64];

__global__ void build(int length) {
  Node *head = nullptr;
  for (int i = 0; i < length; ++i)
    head = new Node{int(threadIdx.x) * i, head};
  heads[threadIdx.x] = head;
}
__global__ void walk(int *out) {
  int sum = 0;
  for (Node *node = heads[threadIdx.x]; node;) {
    sum += node->value;
    Node *next = node->next;
    delete node;
    node = next;
  }
  out[threadIdx.x] = sum;
}
__global__ void fill(int *out) {
  char *all = static_cast<char *>(malloc(1 << 20)), *more = static_cast<char *>(malloc(1 << 20));
  *out = (all != nullptr) + 2 * (more != nullptr);
  free(all);
  free(more);
}

int main() {
  size_t bytes = 0;
  cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
  // CHECK: 8388608 bytes
  std::printf("%zu bytes\n", bytes);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, (1 << 20) + 4096);
  int *out, host[64];
  cudaMalloc(&out, sizeof host);
  build<<<1, 64>>>(20);
  walk<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  // CHECK: no error: 11970
  std::printf("%s: %d\n", cudaGetErrorString(cudaGetLastError()), host[63]);
  fill<<<1, 1>>>(out);
  cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost);
  // CHECK: 1
  std::printf("%d\n", host[0]);
  // CHECK: invalid argument
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22)));
}
