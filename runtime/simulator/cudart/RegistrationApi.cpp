// The functions that nvcc's host code calls (crt/host_runtime.h): registration at the start, and launches by
// <<<>>>.
#include "runtime/simulator/cudart/Registry.h"

#include <vector>

using namespace mxc::sim::cudart;

namespace {

/// What __cudaRegisterFatBinary is given (fatbinary_section.h).
struct FatBinaryWrapper {
  int magic, version;
  const void *data;
  void *file;
};

struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> configurations; // of the <<<>>> that are being evaluated

Image *imageOf(void **handle) { return reinterpret_cast<Image *>(handle); }

} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  return reinterpret_cast<void **>(addImage(static_cast<FatBinaryWrapper *>(wrapper)->data));
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {} // the process ends
char __cudaInitModule(void **image) {
  initialize(imageOf(image));
  return 1;
}

void __cudaRegisterFunction(void **image, const char *host, char *, const char *name, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *) {
  addKernel(imageOf(image), host, name);
}

void __cudaRegisterVar(void **image, char *host, char *, const char *name, int, size_t, int, int) {
  addVariable(imageOf(image), host, name);
}

void __cudaRegisterManagedVar(void **image, void **host, char *, const char *name, int, size_t, int, int) {
  addManaged(imageOf(image), host, name);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, cudaStream_t stream) {
  configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream) {
  if (configurations.empty()) return report(cudaErrorMissingConfiguration);
  const CallConfiguration &latest = configurations.back();
  *grid = latest.grid, *block = latest.block, *sharedBytes = latest.sharedBytes;
  *static_cast<cudaStream_t *>(stream) = latest.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return report(findKernel(host, *kernel));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return report(kernel ? findKernel(host, *kernel) : CUDA_ERROR_INVALID_VALUE);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, stream);
}

} // extern "C"

MXC_PER_THREAD(__cudaLaunchKernel, _ptsz)
