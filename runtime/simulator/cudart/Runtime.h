// What the functions of the CUDA runtime API have in common: a thread's device and last error.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace mxc::sim::cudart {

/// Keeps an error as the thread's last one. The driver's numbers are the runtime's.
cudaError_t report(cudaError_t error);
inline cudaError_t report(CUresult result) { return report(static_cast<cudaError_t>(result)); }
cudaError_t lastError(bool isTaken);

int currentDevice();
/// Makes the primary context of the thread's device current, unless some context is already.
CUresult start();
CUresult choose(int device);

/// Runs `call` with a context current.
template <class Call> cudaError_t started(Call &&call) {
  if (CUresult failure = start()) return report(failure);
  return report(call());
}

inline CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline CUdeviceptr *address(void **pointer) { return reinterpret_cast<CUdeviceptr *>(pointer); }

} // namespace mxc::sim::cudart
