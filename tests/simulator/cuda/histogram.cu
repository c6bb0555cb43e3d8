// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// How often each byte occurs: atomics on shared memory, then one a bin on global memory.
#ifdef __CUDACC__

extern "C" __global__ void count(const uchar4 *in, int words, unsigned *out) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    uchar4 four = in[i];
    atomicAdd(&bins[four.x], 1);
    atomicAdd(&bins[four.y], 1);
    atomicAdd(&bins[four.z], 1);
    atomicAdd(&bins[four.w], 1);
  }
  __syncthreads();
  if (unsigned own = bins[threadIdx.x]) atomicAdd(&out[threadIdx.x], own);
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  Device device(argc, argv);
  std::vector<unsigned char> in(8000);
  std::vector<unsigned> expected(256);
  for (size_t i = 0; i < in.size(); ++i)
    ++expected[in[i] = (unsigned char)(i * i / 7)];
  Buffer<unsigned char> input(in);
  Buffer<unsigned> output(std::vector<unsigned>(256));
  device.launch("count", {4, 256}, input.address(), int(in.size() / 4), output.address());
  return compare(output.read(), expected);
}
#endif
