// What the functions of the CUDA runtime API have in common: a thread's device and last error.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace mxc::sim::cudart {

/// Keeps an error as the thread's last one. The driver's numbers are the runtime's.
cudaError_t report(cudaError_t error);
inline cudaError_t report(CUresult result) { return report(static_cast<cudaError_t>(result)); }
cudaError_t lastError(bool isTaken);
int refuse(); // cudaErrorNotSupported

int currentDevice();
/// Makes the primary context of the thread's device current, unless some context is already.
CUresult start();
CUresult choose(int device);

/// Runs `call` with a context current.
template <class Call> cudaError_t started(Call &&call) {
  if (CUresult failure = start()) return report(failure);
  return report(call());
}

/// Programs that nvcc compiles with --default-stream per-thread call `function` by a second name: a null
/// stream is then one of the thread. Every stream is idle when a call returns, so the two do the same.
#define MXC_PER_THREAD(function, suffix)                                                                     \
  extern "C" __attribute__((alias(#function))) decltype(function) function##suffix;

/// A copy of a box as the driver has it. INVALID_VALUE; NOT_SUPPORTED: of arrays.
CUresult boxOf(const cudaMemcpy3DParms *parameters, CUDA_MEMCPY3D &to);

inline CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline CUdeviceptr *address(void **pointer) { return reinterpret_cast<CUdeviceptr *>(pointer); }

} // namespace mxc::sim::cudart
