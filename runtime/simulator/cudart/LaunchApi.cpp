// Launches, attributes of kernels, occupancy.
#include "runtime/simulator/cudart/Registry.h"

#include <cstring>

using namespace mxc::sim::cudart;

/// The driver's form of a configuration; the attributes have one layout in both.
static CUlaunchConfig driverConfig(const cudaLaunchConfig_t &from) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  CUlaunchConfig to{};
  to.gridDimX = from.gridDim.x, to.gridDimY = from.gridDim.y, to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x, to.blockDimY = from.blockDim.y, to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = static_cast<unsigned>(from.dynamicSmemBytes);
  to.hStream = from.stream;
  to.attrs = reinterpret_cast<CUlaunchAttribute *>(from.attrs), to.numAttrs = from.numAttrs;
  return to;
}

/// Runs `call` with the function that a host symbol stands for.
template <class Call> static cudaError_t withFunction(const void *host, Call &&call) {
  CUfunction function;
  if (CUresult failure = findFunction(host, function)) return report(failure);
  return report(call(function));
}

/// What every chip takes: CUDA programming guide, "Technical specifications per compute capability".
static bool isPossible(dim3 grid, dim3 block) {
  const auto threads = static_cast<unsigned long long>(block.x) * block.y * block.z;
  return grid.x && grid.y && grid.z && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 &&
         threads && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && threads <= 1024;
}

static cudaError_t launch(const cudaLaunchConfig_t &config, const void *host, void **arguments) {
  if (!isPossible(config.gridDim, config.blockDim)) return report(cudaErrorInvalidConfiguration);
  return withFunction(host, [&](CUfunction function) {
    CUlaunchConfig converted = driverConfig(config);
    return cuLaunchKernelEx(&converted, function, arguments, nullptr);
  });
}

extern "C" {

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **arguments) {
  if (!config) return report(cudaErrorInvalidValue);
  return launch(*config, host, arguments);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                             cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = sharedBytes,
  config.stream = stream;
  return launch(config, host, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative, attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = sharedBytes,
  config.stream = stream;
  config.attrs = &attribute, config.numAttrs = 1;
  return launch(config, host, arguments);
}

cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute attribute, int value) {
  return withFunction(host, [&](CUfunction function) {
    return cuFuncSetAttribute(function, static_cast<CUfunction_attribute>(attribute), value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *host, cudaFuncCache config) {
  return withFunction(host, [&](CUfunction function) {
    return cuFuncSetCacheConfig(function, static_cast<CUfunc_cache>(config));
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, cudaSharedMemConfig config) {
  return withFunction(host, [&](CUfunction function) {
    return cuFuncSetSharedMemConfig(function, static_cast<CUsharedconfig>(config));
  });
}

cudaError_t cudaFuncGetName(const char **name, const void *host) {
  return withFunction(host, [&](CUfunction function) { return cuFuncGetName(name, function); });
}

cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
  return withFunction(
      host, [&](CUfunction function) { return cuFuncGetParamInfo(function, index, offset, bytes); });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host) {
  return report(function ? findFunction(host, *function) : CUDA_ERROR_INVALID_VALUE);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *host) {
  if (!attributes) return report(cudaErrorInvalidValue);
  return withFunction(host, [&](CUfunction function) {
    CUresult result = CUDA_SUCCESS;
    auto get = [&](CUfunction_attribute id) {
      int value = 0;
      if (CUresult failure = cuFuncGetAttribute(&value, id, function)) result = failure;
      return value;
    };
    std::memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    attributes->constSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    attributes->localSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    attributes->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->maxDynamicSharedSizeBytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    return result;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int blockThreads, size_t sharedBytes,
                                                                   unsigned flags) {
  return withFunction(host, [&](CUfunction function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockThreads, sharedBytes,
                                                                flags);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int blockThreads,
                                                          size_t sharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, blockThreads, sharedBytes, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                                      int blockThreads) {
  return withFunction(host, [&](CUfunction function) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, blockThreads);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *host,
                                                 const cudaLaunchConfig_t *config) {
  if (!config) return report(cudaErrorInvalidValue);
  return withFunction(host, [&](CUfunction function) {
    CUlaunchConfig converted = driverConfig(*config);
    return cuOccupancyMaxPotentialClusterSize(blocks, function, &converted);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                           const cudaLaunchConfig_t *config) {
  if (!config) return report(cudaErrorInvalidValue);
  return withFunction(host, [&](CUfunction function) {
    CUlaunchConfig converted = driverConfig(*config);
    return cuOccupancyMaxActiveClusters(clusters, function, &converted);
  });
}

} // extern "C"

MXC_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)
MXC_PER_THREAD(cudaLaunchKernelExC, _ptsz)
MXC_PER_THREAD(cudaLaunchKernel, _ptsz)
