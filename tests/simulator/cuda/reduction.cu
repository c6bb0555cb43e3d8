// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// The sum of an array: shuffles in a warp, shared memory in a CTA, an atomic for the grid.
#ifdef __CUDACC__

extern "C" __global__ void sum(const int *in, int count, unsigned long long *out) {
  __shared__ long long ofWarp[8];
  long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    own += in[i];
  for (int distance = 16; distance; distance /= 2)
    own += __shfl_down_sync(~0u, own, distance);
  if (threadIdx.x % 32 == 0) ofWarp[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 8) return;
  own = ofWarp[threadIdx.x];
  for (int distance = 4; distance; distance /= 2)
    own += __shfl_xor_sync(0xFF, own, distance);
  if (threadIdx.x == 0) atomicAdd(out, static_cast<unsigned long long>(own));
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  Device device(argc, argv);
  std::vector<int> in(10007);
  uint64_t expected = 0;
  for (size_t i = 0; i < in.size(); ++i)
    expected += uint64_t(int64_t(in[i] = int(i * 2654435761u)));
  Buffer<int> input(in);
  Buffer<uint64_t> output({0});
  device.launch("sum", {6, 256}, input.address(), int(in.size()), output.address());
  return compare(output.read(), {expected});
}
#endif
