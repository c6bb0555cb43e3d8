// A context: what a fault in a kernel ruins, and what owns streams, modules and memory.
#pragma once

#include "runtime/simulator/machine/KernelServices.h"

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace mxc::sim {

class SimulatedDevice;
struct Stream;

struct Context {
  Context(SimulatedDevice &device, bool isPrimary);

  SimulatedDevice &device;
  const bool isPrimary;
  const uint64_t id; // of all contexts of the process
  CUcontext handle = nullptr;
  std::atomic<bool> isAlive{true}; // a primary one comes back to life
  std::atomic<unsigned> flags{CU_CTX_SCHED_AUTO};
  std::atomic<CUfunc_cache> cachePreference{CU_FUNC_CACHE_PREFER_NONE};
  std::array<std::atomic<size_t>, CU_LIMIT_MAX> limits{}; // that change nothing here
  KernelServices services;
  std::shared_ptr<Stream> legacyStream, perThreadStream; // CU_STREAM_LEGACY and null, CU_STREAM_PER_THREAD

  // A kernel's fault is there at once (nothing that is enqueued later runs), but callers learn of it as on a
  // GPU: from the first call that waits for the device; after that, from every call.
  void fail(CUresult result) { fault_ = result; }
  bool isBroken() const { return fault_ != CUDA_SUCCESS; }
  CUresult errorSeen() const { return isFaultSeen_ ? fault_.load() : CUDA_SUCCESS; }
  CUresult wait(); // and what came of it. Shows what kernels have printed

  /// Without memory of kernels, limits and fault, as after a reset. No launch runs.
  void clear();

  void showPrinted(); // what kernels have printed since, on standard output

private:
  void setDefaultLimits();

  std::atomic<CUresult> fault_{CUDA_SUCCESS};
  std::atomic<bool> isFaultSeen_{false};
};

} // namespace mxc::sim
