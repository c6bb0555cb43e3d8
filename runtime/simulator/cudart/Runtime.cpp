#include "runtime/simulator/cudart/Runtime.h"

#include <map>
#include <mutex>

namespace mxc::sim::cudart {

static thread_local cudaError_t last = cudaSuccess;
static thread_local int device = 0;

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

cudaError_t lastError(bool isTaken) {
  cudaError_t error = last;
  if (isTaken) last = cudaSuccess;
  return error;
}

int refuse() { return report(cudaErrorNotSupported); }

int currentDevice() { return device; }

/// The device's primary context, retained once for the life of the process.
static CUresult primaryContext(CUcontext &context) {
  static std::mutex mutex;
  static auto &contexts = *new std::map<int, CUcontext>; // stays: programs free memory in static destructors
  std::lock_guard lock(mutex);
  if (auto known = contexts.find(device); known != contexts.end())
    return context = known->second, CUDA_SUCCESS;
  if (CUresult failure = cuInit(0)) return failure;
  CUdevice handle;
  if (CUresult failure = cuDeviceGet(&handle, device)) return failure;
  if (CUresult failure = cuDevicePrimaryCtxRetain(&context, handle)) return failure;
  contexts[device] = context;
  return CUDA_SUCCESS;
}

CUresult start() {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && context) return CUDA_SUCCESS;
  if (CUresult failure = primaryContext(context)) return failure;
  return cuCtxSetCurrent(context);
}

CUresult choose(int ordinal) {
  int former = device;
  device = ordinal;
  CUcontext context;
  CUresult result = primaryContext(context);
  if (!result) result = cuCtxSetCurrent(context);
  if (result) device = former;
  return result;
}

} // namespace mxc::sim::cudart
