// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// C = A B^T of bf16 with 128-byte swizzled tiles: bulk tensor copies bring 64 columns of A and B,
// wgmma adds them up.
#ifdef __CUDACC__
#include "Inputs/asynchronous.cuh"

/// K-major rows of 128 bytes in groups of 8, 1024 bytes each, swizzled.
__device__ inline uint64_t descriptor(const void *tile) {
  return uint64_t(shared(tile) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

__device__ inline void multiply(float (&d)[32], uint64_t a, uint64_t b) {
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
      "%31}, %32, %33, 1, 1, 1, 0, 0;"
      : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28)
      : "l"(a), "l"(b));
#undef FOUR
}

/// A CTA of one warpgroup makes rows 64 blockIdx.x .. of 64 columns.
extern "C" __global__ void gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                                int k, float *c) {
  extern __shared__ __align__(1024) uint16_t tiles[];
  uint16_t *tileA = tiles, *tileB = tiles + 64 * 64;
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    initialize(full, 1);
    fenceBarriers();
  }
  __syncthreads();
  float d[32] = {};
  for (int step = 0; step < k / 64; ++step) {
    if (threadIdx.x == 0) {
      arriveExpecting(full, 2 * 64 * 64 * 2);
      loadBox(tileA, &a, step * 64, int(blockIdx.x) * 64, full);
      loadBox(tileB, &b, step * 64, 0, full);
    }
    wait(full, step & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int part = 0; part < 4; ++part) // 16 columns, 32 bytes
      multiply(d, descriptor(tileA) + part * 2, descriptor(tileB) + part * 2);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  int lane = threadIdx.x % 32, row = int(blockIdx.x) * 64 + int(threadIdx.x) / 32 * 16 + lane / 4;
  for (int i = 0; i < 32; ++i)
    c[(row + i / 2 % 2 * 8) * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

#else
#include "Inputs/device.h"

#include <cstring>

static uint16_t bf16(float value) { // of numbers that bf16 has
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return uint16_t(bits >> 16);
}

int main(int argc, char **argv) {
  constexpr int kM = 128, kN = 64, kK = 192;
  Device device(argc, argv);
  std::vector<float> a(kM * kK), b(kN * kK), expected(kM * kN);
  std::vector<uint16_t> a16, b16;
  for (int i = 0; i < kM * kK; ++i)
    a16.push_back(bf16(a[i] = float(i * 37 % 17 - 8)));
  for (int i = 0; i < kN * kK; ++i)
    b16.push_back(bf16(b[i] = float(i * 53 % 13 - 6)));
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n)
      for (int k = 0; k < kK; ++k)
        expected[m * kN + n] += a[m * kK + k] * b[n * kK + k];
  Buffer<uint16_t> left(a16), right(b16);
  Buffer<float> output(std::vector<float>(kM * kN, -1));
  Matrix mapA{
      left.address(), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, kM, kK, kK * 2, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B};
  Matrix mapB{right.address(),           CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, kN, kK, kK * 2, 64, 64,
              CU_TENSOR_MAP_SWIZZLE_128B};
  device.launch("gemm", {kM / 64, 128, 1, 2 * 64 * 64 * 2}, mapA.map(), mapB.map(), kK, output.address());
  return compare(output.read(), expected);
}
#endif
