// A pool of memory. It keeps nothing: what is freed in a stream's order is free at once, so that a use after
// it is found.
#pragma once

#include "runtime/simulator/driver/SimulatedDevice.h"

#include <map>
#include <mutex>

namespace mxc::sim {

struct MemoryPool {
  explicit MemoryPool(SimulatedDevice &device) : device(device) {}
  SimulatedDevice &device;
  CUmemoryPool handle = nullptr;
  std::mutex mutex;
  std::map<CUmemPool_attribute, uint64_t> attributes{{CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1},
                                                     {CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 1},
                                                     {CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1},
                                                     {CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0}};
};

} // namespace mxc::sim
