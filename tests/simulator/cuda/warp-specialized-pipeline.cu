// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// A warpgroup that loads and one that computes: a ring of bulk copies in, registers moved from one to
// the other, bulk copies out.
#ifdef __CUDACC__
#include "Inputs/asynchronous.cuh"

constexpr int kStages = 2, kChunk = 512; // words

/// out[i] = in[i] * in[i] + 1, chunk by chunk.
extern "C" __global__ void __launch_bounds__(256, 2) squares(const unsigned *in, unsigned *out, int chunks) {
  __shared__ alignas(128) unsigned loaded[kStages][kChunk], result[2][kChunk];
  __shared__ Barrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      initialize(full[stage], 1);
      initialize(empty[stage], 4);
    }
    fenceBarriers();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x) return;
    for (int chunk = blockIdx.x, turn = 0; chunk < chunks; chunk += gridDim.x, ++turn) {
      int stage = turn % kStages;
      wait(empty[stage], ~(turn / kStages) & 1); // at first the phase before counts as complete
      arriveExpecting(full[stage], kChunk * 4);
      load(loaded[stage], in + chunk * kChunk, kChunk * 4, full[stage]);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
  unsigned t = threadIdx.x - 128;
  for (int chunk = blockIdx.x, turn = 0; chunk < chunks; chunk += gridDim.x, ++turn) {
    int stage = turn % kStages;
    wait(full[stage], turn / kStages & 1);
    if (t == 0) awaitReads<1>(); // the store before the last has read this result
    asm volatile("bar.sync 1, 128;" ::: "memory");
    for (unsigned i = t; i < kChunk; i += 128)
      result[turn % 2][i] = loaded[stage][i] * loaded[stage][i] + 1;
    __syncwarp();
    if (t % 32 == 0) arrive(empty[stage]);
    fenceAsync();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (t == 0) store(out + chunk * kChunk, result[turn % 2], kChunk * 4);
  }
  if (t == 0) awaitReads<0>();
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  constexpr int kChunks = 13;
  Device device(argc, argv);
  std::vector<unsigned> in(kChunks * 512), expected(in.size());
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = i * 3, expected[i] = in[i] * in[i] + 1;
  Buffer<unsigned> input(in), output(std::vector<unsigned>(in.size()));
  device.launch("squares", {2, 256}, input.address(), output.address(), kChunks);
  return compare(output.read(), expected);
}
#endif
