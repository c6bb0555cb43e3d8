// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// Running sums in one pass: every CTA adds what the one before it hands on through global memory. CTAs
// take their numbers in the order in which they begin, so the one before is always under way.
#ifdef __CUDACC__

struct Chain {
  unsigned next;        // the number of the next CTA to begin
  unsigned isReady[15]; // of CTA i
  unsigned total[15];   // of all elements up to the end of CTA i's
};

extern "C" __global__ void scan(const unsigned *in, unsigned *out, Chain *chain) {
  __shared__ unsigned number, before, ofWarp[8];
  if (threadIdx.x == 0) number = atomicAdd(&chain->next, 1);
  __syncthreads();
  unsigned at = number * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = in[at];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    unsigned other = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) ofWarp[warp] = sum;
  __syncthreads();
  for (unsigned i = 0; i < warp; ++i)
    sum += ofWarp[i];
  if (threadIdx.x == 255) {
    unsigned handedOn = 0;
    if (number) {
      while (!*static_cast<volatile unsigned *>(&chain->isReady[number - 1]))
        ;
      __threadfence();
      handedOn = *static_cast<volatile unsigned *>(&chain->total[number - 1]);
    }
    *static_cast<volatile unsigned *>(&chain->total[number]) = handedOn + sum;
    __threadfence();
    *static_cast<volatile unsigned *>(&chain->isReady[number]) = 1;
    before = handedOn;
  }
  __syncthreads();
  out[at] = before + sum;
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  Device device(argc, argv);
  std::vector<unsigned> in(15 * 256), expected(in.size());
  for (unsigned i = 0, sum = 0; i < in.size(); ++i)
    expected[i] = sum += in[i] = i % 97 + 1;
  Buffer<unsigned> input(in), output(in), chain(std::vector<unsigned>(31));
  device.launch("scan", {15, 256}, input.address(), output.address(), chain.address());
  return compare(output.read(), expected);
}
#endif
