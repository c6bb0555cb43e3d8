// Devices, versions, errors, and the driver's functions by name.
#include "runtime/simulator/cudart/Runtime.h"

#include <cstring>

using namespace mxc::sim::cudart;

namespace {

struct IntegerProperty {
  int cudaDeviceProp::*field;
  CUdevice_attribute id;
};
constexpr IntegerProperty kIntegers[] = {
    {&cudaDeviceProp::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {&cudaDeviceProp::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {&cudaDeviceProp::multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {&cudaDeviceProp::warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {&cudaDeviceProp::regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    {&cudaDeviceProp::regsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    {&cudaDeviceProp::maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {&cudaDeviceProp::maxThreadsPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {&cudaDeviceProp::maxBlocksPerMultiProcessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    {&cudaDeviceProp::l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    {&cudaDeviceProp::memoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    {&cudaDeviceProp::unifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
    {&cudaDeviceProp::managedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
    {&cudaDeviceProp::concurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
    {&cudaDeviceProp::cooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
    {&cudaDeviceProp::clusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH},
    {&cudaDeviceProp::memoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
};

struct SizeProperty {
  size_t cudaDeviceProp::*field;
  CUdevice_attribute id;
};
constexpr SizeProperty kSizes[] = {
    {&cudaDeviceProp::sharedMemPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {&cudaDeviceProp::sharedMemPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {&cudaDeviceProp::sharedMemPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {&cudaDeviceProp::reservedSharedMemPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    {&cudaDeviceProp::totalConstMem, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY},
};

constexpr CUdevice_attribute kBlockLimits[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                               CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                               CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
constexpr CUdevice_attribute kGridLimits[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                              CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};

/// 0 for what the driver does not tell.
int attribute(CUdevice_attribute id, CUdevice device) {
  int value = 0;
  return cuDeviceGetAttribute(&value, id, device) == CUDA_SUCCESS ? value : 0;
}

/// The errors here that the driver has no number for.
struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText kOwnErrors[] = {
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
};

const ErrorText *ownError(cudaError_t error) {
  for (const ErrorText &row : kOwnErrors)
    if (row.error == error) return &row;
  return nullptr;
}

} // namespace

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

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (!properties) return report(cudaErrorInvalidValue);
  return started([&] {
    std::memset(properties, 0, sizeof *properties);
    for (auto &[field, id] : kIntegers)
      properties->*field = attribute(id, device);
    for (auto &[field, id] : kSizes)
      properties->*field = size_t(attribute(id, device));
    for (int axis = 0; axis < 3; ++axis) {
      properties->maxThreadsDim[axis] = attribute(kBlockLimits[axis], device);
      properties->maxGridSize[axis] = attribute(kGridLimits[axis], device);
    }
    if (CUresult failure = cuDeviceGetName(properties->name, sizeof properties->name, device)) return failure;
    return cuDeviceTotalMem(&properties->totalGlobalMem, device);
  });
}

cudaError_t cudaDriverGetVersion(int *version) { return report(cuDriverGetVersion(version)); }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = CUDART_VERSION, cudaSuccess; }

cudaError_t cudaGetLastError() { return lastError(true); }
cudaError_t cudaPeekAtLastError() { return lastError(false); }
const char *cudaGetErrorName(cudaError_t error) {
  if (const ErrorText *own = ownError(error)) return own->name;
  const char *name;
  return cuGetErrorName(static_cast<CUresult>(error), &name) == CUDA_SUCCESS ? name
                                                                             : "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t error) {
  if (const ErrorText *own = ownError(error)) return own->text;
  const char *text;
  return cuGetErrorString(static_cast<CUresult>(error), &text) == CUDA_SUCCESS ? text
                                                                               : "unrecognized error code";
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

} // extern "C"
