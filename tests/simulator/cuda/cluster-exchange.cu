// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// Four CTAs of a cluster exchange parts of their shared memory, so that each ends up with one part of
// every CTA's.
#ifdef __CUDACC__
#include "Inputs/asynchronous.cuh"

__device__ inline unsigned clusterRank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// The same variable in the shared memory of CTA `rank`.
template <class T> __device__ inline T &remote(T &own, unsigned rank) {
  uint64_t address;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(&own), "r"(rank));
  return *reinterpret_cast<T *>(address);
}

/// Thread t of CTA r of cluster c holds in[c][r][t]; out[c][r][64s + i] = in[c][s][64r + i].
extern "C" __global__ void exchange(const int *in, int *out, int *arrivals) {
  __shared__ int own[256], received[256];
  __shared__ int counter;
  unsigned t = threadIdx.x, rank = clusterRank();
  own[t] = in[blockIdx.x * 256 + t];
  received[t] = -1;
  if (t == 0) counter = 0;
  clusterSync();
  unsigned to = t / 64;
  remote(received, to)[rank * 64 + t % 64] = own[t];
  if (t % 64 == 0) atomicAdd(&remote(counter, to), int(rank) + 1);
  clusterSync();
  out[blockIdx.x * 256 + t] = received[t];
  if (t == 0) arrivals[blockIdx.x] = counter;
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  constexpr unsigned kClusters = 2, kRanks = 4;
  Device device(argc, argv);
  std::vector<int> in(kClusters * kRanks * 256), expected(in.size());
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = int(i * 7);
  for (unsigned c = 0; c < kClusters; ++c)
    for (unsigned r = 0; r < kRanks; ++r)
      for (unsigned t = 0; t < 256; ++t)
        expected[(c * kRanks + r) * 256 + t] = in[(c * kRanks + t / 64) * 256 + r * 64 + t % 64];
  Buffer<int> input(in), output(in), arrivals(std::vector<int>(kClusters * kRanks));
  device.launch("exchange", {kClusters * kRanks, 256, kRanks}, input.address(), output.address(),
                arrivals.address());
  if (arrivals.read() != std::vector<int>(kClusters * kRanks, 1 + 2 + 3 + 4))
    return std::puts("wrong arrivals"), 1;
  return compare(output.read(), expected);
}
#endif
