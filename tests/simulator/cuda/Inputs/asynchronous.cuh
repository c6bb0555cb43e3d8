// What CUDA C++ has no short words for: mbarriers, bulk copies, wgmma, as the PTX that they are.
#pragma once

#include <cstdint>

using Barrier = uint64_t; // in shared memory
struct alignas(64) TensorMap {
  char bytes[128];
};

__device__ inline uint32_t shared(const void *pointer) { return uint32_t(__cvta_generic_to_shared(pointer)); }

__device__ inline void initialize(Barrier &barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&barrier)), "r"(arrivals) : "memory");
}
/// Makes initialized barriers known to the async proxy and the cluster.
__device__ inline void fenceBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive(Barrier &barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&barrier)) : "memory");
}
__device__ inline void arriveExpecting(Barrier &barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&barrier)), "r"(bytes)
               : "memory");
}
__device__ inline void wait(Barrier &barrier, unsigned parity) {
  asm volatile("{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra WAIT;\n}" ::"r"(shared(&barrier)),
               "r"(parity)
               : "memory");
}

/// What the generic proxy wrote to shared memory, the async proxy reads.
__device__ inline void fenceAsync() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void load(void *to, const void *from, unsigned bytes, Barrier &barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared(to)),
      "l"(from), "r"(bytes), "r"(shared(&barrier))
      : "memory");
}
__device__ inline void loadBox(void *to, const void *map, int column, int row, Barrier &barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
               "{%2, %3}], "
               "[%4];" ::"r"(shared(to)),
               "l"(map), "r"(column), "r"(row), "r"(shared(&barrier))
               : "memory");
}
__device__ inline void store(void *to, const void *from, unsigned bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
      "r"(shared(from)), "r"(bytes)
      : "memory");
}
/// Until all but `left` of this thread's stores have read their sources.
template <int left> __device__ inline void awaitReads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}
