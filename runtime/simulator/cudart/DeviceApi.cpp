// Devices, versions, and the driver's functions by name.
#include "runtime/simulator/cudart/Runtime.h"

using namespace mxc::sim::cudart;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  return started([&] { return cuDeviceGetCount(count); });
}
cudaError_t cudaGetDevice(int *device) { return *device = currentDevice(), cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return report(choose(device)); }
cudaError_t cudaDeviceSynchronize() {
  return started([] { return cuCtxSynchronize(); });
}
cudaError_t cudaDeviceReset() {
  return started([] { return cuDevicePrimaryCtxReset(currentDevice()); });
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr id, int device) {
  return started([&] { return cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(id), device); });
}

cudaError_t cudaDriverGetVersion(int *version) { return report(cuDriverGetVersion(version)); }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *status) {
  return started([&] {
    CUdriverProcAddressQueryResult found;
    CUresult result = cuGetProcAddress(symbol, function, int(version), flags, &found);
    if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    return result;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

} // extern "C"

MXC_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz)
MXC_PER_THREAD(cudaGetDriverEntryPoint, _ptsz)
