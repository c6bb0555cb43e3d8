// Device, managed and host memory.
#include "runtime/simulator/cudart/Runtime.h"

#include <cstring>

using namespace mxc::sim::cudart;

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return started(
      [&] { return bytes ? cuMemAlloc(address(pointer), bytes) : (*pointer = nullptr, CUDA_SUCCESS); });
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return started([&] { return cuMemAllocAsync(address(pointer), bytes, stream); });
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return started([&] { return cuMemAllocManaged(address(pointer), bytes, flags); });
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return started([&] { return cuMemAllocPitch(address(pointer), pitch, width, height, 16); });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  if (!pointer) return report(cudaErrorInvalidValue);
  pointer->xsize = extent.width, pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
cudaError_t cudaFree(void *pointer) {
  return started([&] { return pointer ? cuMemFree(address(pointer)) : CUDA_SUCCESS; });
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  return started([&] { return cuMemFreeAsync(address(pointer), stream); });
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return started([&] { return cuMemGetInfo(free, total); });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return started([&] { return cuMemAllocHost(pointer, bytes); });
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return started([&] { return cuMemHostAlloc(pointer, bytes, flags); });
}
cudaError_t cudaFreeHost(void *pointer) {
  return started([&] { return pointer ? cuMemFreeHost(pointer) : CUDA_SUCCESS; });
}
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  return started([&] { return cuMemHostRegister(pointer, bytes, flags); });
}
cudaError_t cudaHostUnregister(void *pointer) {
  return started([&] { return cuMemHostUnregister(pointer); });
}

cudaError_t cudaHostGetDevicePointer(void **pointer, void *host, unsigned flags) {
  return started([&] { return cuMemHostGetDevicePointer(address(pointer), host, flags); });
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return started([&] { return cuMemHostGetFlags(flags, host); });
}

/// The two have one layout; the kinds of places have one set of numbers.
static CUmemLocation placeOf(cudaMemLocation location) {
  return {static_cast<CUmemLocationType>(location.type), location.id};
}
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return started(
      [&] { return cuMemPrefetchAsync(address(pointer), bytes, placeOf(location), flags, stream); });
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return started([&] {
    return cuMemAdvise(address(pointer), bytes, static_cast<CUmem_advise>(advice), placeOf(location));
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned) { // it is everybody's anyway
  return started([] { return CUDA_SUCCESS; });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes) return report(cudaErrorInvalidValue);
  return started([&] {
    std::memset(attributes, 0, sizeof *attributes);
    unsigned type = 0, isManaged = 0;
    CUpointer_attribute ids[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&type, &isManaged, &attributes->device, &attributes->devicePointer,
                      &attributes->hostPointer};
    CUresult result = cuPointerGetAttributes(5, ids, values, address(pointer));
    attributes->type = isManaged ? cudaMemoryTypeManaged : static_cast<cudaMemoryType>(type);
    return result;
  });
}

} // extern "C"

MXC_PER_THREAD(cudaFreeAsync, _ptsz)
MXC_PER_THREAD(cudaMallocAsync, _ptsz)
MXC_PER_THREAD(cudaMemPrefetchAsync, _ptsz)
MXC_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)
