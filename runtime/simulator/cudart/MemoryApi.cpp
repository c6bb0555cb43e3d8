// Device and host memory, copies, fills, symbols.
#include "runtime/simulator/cudart/Registry.h"

#include <cstring>

using namespace mxc::sim::cudart;

static cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return started([&] {
    if (!bytes) return CUDA_SUCCESS;
    if (kind == cudaMemcpyHostToDevice) return cuMemcpyHtoDAsync(address(to), from, bytes, stream);
    if (kind == cudaMemcpyDeviceToHost) return cuMemcpyDtoHAsync(to, address(from), bytes, stream);
    return cuMemcpyAsync(address(to), address(from), bytes, stream);
  });
}

static cudaError_t copyNow(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToHost) return std::memcpy(to, from, bytes), cudaSuccess;
  if (cudaError_t error = copy(to, from, bytes, kind, nullptr)) return error;
  return report(cuStreamSynchronize(nullptr));
}

/// The bytes of a device variable from `offset` on.
static cudaError_t symbolBytes(const void *symbol, size_t offset, size_t bytes, char *&at) {
  CUdeviceptr start;
  size_t size;
  if (CUresult failure = findVariable(symbol, start, size)) return report(failure);
  if (offset > size || bytes > size - offset) return report(cudaErrorInvalidValue);
  at = reinterpret_cast<char *>(start + offset);
  return cudaSuccess;
}

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

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return copyNow(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return started([&] { return cuMemsetD8(address(pointer), static_cast<unsigned char>(value), bytes); });
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  return started(
      [&] { return cuMemsetD8Async(address(pointer), static_cast<unsigned char>(value), bytes, stream); });
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  char *at = nullptr;
  cudaError_t error = symbolBytes(symbol, 0, 0, at);
  if (!error) *pointer = at;
  return error;
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  CUdeviceptr start;
  return report(findVariable(symbol, start, *bytes));
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  char *at = nullptr;
  if (cudaError_t error = symbolBytes(symbol, offset, bytes, at)) return error;
  return copyNow(at, from, bytes, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  char *at = nullptr;
  if (cudaError_t error = symbolBytes(symbol, offset, bytes, at)) return error;
  return copyNow(to, at, bytes, kind);
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
