// REQUIRES: nvcc, cccl
// RUN: %run-program %s %t | FileCheck %s
// this_grid().sync(): CTAs see what all others wrote before; an arrival and a wait apart; a grid that the chip does not hold.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void rotate(int *a, int *b, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const int own = int(grid.thread_rank()), count = int(grid.size());
  for (int round = 0; round < rounds; ++round) {
    b[(own + 1) % count] = a[own];
    auto token = grid.barrier_arrive();
    int work = own * round;
    grid.barrier_wait(std::move(token));
    a[own] = b[own] + (work < 0);
    grid.sync();
  }
}

__global__ void valid(int *out) { *out = cg::this_grid().is_valid(); }

int main() {
  constexpr int kCount = 96 * 40;
  int *a, *b, host[kCount];
  cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host);
  for (int i = 0; i < kCount; ++i)
    host[i] = i;
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  int rounds = 5;
  void *arguments[] = {&a, &b, &rounds};
  // CHECK: no error
  std::printf("%s\n", cudaGetErrorString(cudaLaunchCooperativeKernel(rotate, 40, 96, arguments, 0, nullptr)));
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += host[i] != (i + kCount - rounds) % kCount;
  // CHECK: 0 wrong
  std::printf("%d wrong\n", wrong);

  int blocks = 0, processors = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate, 1024, 0);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  // CHECK: too many blocks in cooperative launch
  cudaError_t refused = cudaLaunchCooperativeKernel(rotate, blocks * processors + 1, 1024, arguments, 0, nullptr);
  std::printf("%s\n", cudaGetErrorString(refused));
  // CHECK: an ordinary launch has no grid to wait for: 0
  valid<<<1, 1>>>(a);
  cudaMemcpy(host, a, 4, cudaMemcpyDeviceToHost);
  std::printf("an ordinary launch has no grid to wait for: %d\n", host[0]);
}
