// What a device or a thread may be told; peers, buses, profilers.
#include "runtime/simulator/cudart/Runtime.h"

using namespace mxc::sim::cudart;

extern "C" {

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return started([&] { return cuCtxSetLimit(static_cast<CUlimit>(limit), value); });
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return started([&] { return cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return started([&] { return cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)); });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return started([&] { return cuCtxGetCacheConfig(reinterpret_cast<CUfunc_cache *>(config)); });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return started([&] { return cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)); });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return started([&] { return cuCtxGetSharedMemConfig(reinterpret_cast<CUsharedconfig *>(config)); });
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return started([] { return cuCtxResetPersistingL2Cache(); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return started([&] { return cuDevicePrimaryCtxSetFlags(currentDevice(), flags); });
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  int isActive = 0;
  return started([&] { return cuDevicePrimaryCtxGetState(currentDevice(), flags, &isActive); });
}
cudaError_t cudaInitDevice(int device, unsigned deviceFlags, unsigned flags) {
  return started(
      [&] { return flags ? cuDevicePrimaryCtxSetFlags(device, deviceFlags) : cuDeviceGet(&device, device); });
}
cudaError_t cudaSetValidDevices(int *devices, int count) { // any of them may be chosen anyway
  return report(count < 0 || (count && !devices) ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) {
  return started([&] { return device ? cuDeviceGet(device, 0) : CUDA_ERROR_INVALID_VALUE; });
}

cudaError_t cudaDeviceCanAccessPeer(int *isPossible, int device, int peer) {
  return started([&] { return cuDeviceCanAccessPeer(isPossible, device, peer); });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return report(cudaErrorPeerAccessUnsupported); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return report(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return started([&] {
    return cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(attribute), device, peer);
  });
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return started([&] { return cuDeviceGetPCIBusId(text, length, device); });
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return started([&] { return cuDeviceGetByPCIBusId(device, text); });
}

// Nobody looks.
cudaError_t cudaProfilerStart() {
  return started([] { return CUDA_SUCCESS; });
}
cudaError_t cudaProfilerStop() {
  return started([] { return CUDA_SUCCESS; });
}

} // extern "C"
