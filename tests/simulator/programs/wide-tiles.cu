// REQUIRES: nvcc, cccl
// RUN: %run-program %s %t | FileCheck %s
// Tiles of several warps, which meet in shared memory that CUDA reserves for itself; beside dynamic shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void sums(int *out) {
  extern __shared__ int values[];
  __shared__ cg::block_tile_memory<256> scratch;
  auto block = cg::this_thread_block(scratch);
  auto tile = cg::tiled_partition<64>(block);
  values[threadIdx.x] = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
  tile.sync();
  out[threadIdx.x] = values[threadIdx.x ^ 63] + 100000 * tile.shfl(int(threadIdx.x), 5);
}

int main() {
  int *out, host[256], wrong = 0;
  cudaMalloc(&out, sizeof host);
  sums<<<2, 256, 1024>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 256; ++i) {
    int first = i / 64 * 64;
    wrong += host[i] != 64 * first + 64 * 63 / 2 + 100000 * (first + 5);
  }
  // CHECK: no error, 0 wrong
  std::printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
}
