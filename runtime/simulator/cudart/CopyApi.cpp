// Copies and fills: lines, rectangles, boxes, variables.
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

static CUDA_MEMCPY2D rectangle(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                               size_t height) {
  CUDA_MEMCPY2D c{};
  c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_UNIFIED; // an address says which memory it is of
  c.dstDevice = address(to), c.dstPitch = toPitch;
  c.srcDevice = address(from), c.srcPitch = fromPitch;
  c.WidthInBytes = width, c.Height = height;
  return c;
}

static CUDA_MEMCPY3D box(const cudaMemcpy3DParms &p) {
  CUDA_MEMCPY3D c{};
  c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  c.dstDevice = address(p.dstPtr.ptr), c.dstPitch = p.dstPtr.pitch, c.dstHeight = p.dstPtr.ysize;
  c.dstXInBytes = p.dstPos.x, c.dstY = p.dstPos.y, c.dstZ = p.dstPos.z;
  c.srcDevice = address(p.srcPtr.ptr), c.srcPitch = p.srcPtr.pitch, c.srcHeight = p.srcPtr.ysize;
  c.srcXInBytes = p.srcPos.x, c.srcY = p.srcPos.y, c.srcZ = p.srcPos.z;
  c.WidthInBytes = p.extent.width, c.Height = p.extent.height, c.Depth = p.extent.depth;
  return c;
}

CUresult mxc::sim::cudart::boxOf(const cudaMemcpy3DParms *parameters, CUDA_MEMCPY3D &to) {
  if (!parameters) return CUDA_ERROR_INVALID_VALUE;
  if (parameters->srcArray || parameters->dstArray) return CUDA_ERROR_NOT_SUPPORTED; // textures' memory
  to = box(*parameters);
  return CUDA_SUCCESS;
}

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return copyNow(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return copyNow(to, from, bytes, cudaMemcpyDefault);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t stream) {
  return copy(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t stream) {
  if (width > toPitch || width > fromPitch) return report(cudaErrorInvalidPitchValue);
  return started([&] {
    CUDA_MEMCPY2D c = rectangle(to, toPitch, from, fromPitch, width, height);
    return cuMemcpy2DAsync(&c, stream);
  });
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  if (cudaError_t error = cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, nullptr))
    return error;
  return report(cuStreamSynchronize(nullptr));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return started([&] {
    CUDA_MEMCPY3D c;
    if (CUresult failure = boxOf(parameters, c)) return failure;
    return cuMemcpy3DAsync(&c, stream);
  });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  if (cudaError_t error = cudaMemcpy3DAsync(parameters, nullptr)) return error;
  return report(cuStreamSynchronize(nullptr));
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return started([&] { return cuMemsetD8(address(pointer), static_cast<unsigned char>(value), bytes); });
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  return started(
      [&] { return cuMemsetD8Async(address(pointer), static_cast<unsigned char>(value), bytes, stream); });
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return started([&] {
    return cuMemsetD2D8Async(address(pointer), pitch, static_cast<unsigned char>(value), width, height,
                             stream);
  });
}
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  for (size_t z = 0; z < extent.depth; ++z) {
    char *slice = static_cast<char *>(pointer.ptr) + z * pointer.pitch * pointer.ysize;
    if (cudaError_t error =
            cudaMemset2DAsync(slice, pointer.pitch, value, extent.width, extent.height, stream))
      return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pointer, value, extent, nullptr);
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
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  char *at = nullptr;
  if (cudaError_t error = symbolBytes(symbol, offset, bytes, at)) return error;
  return copy(at, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  char *at = nullptr;
  if (cudaError_t error = symbolBytes(symbol, offset, bytes, at)) return error;
  return copy(to, at, bytes, kind, stream);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  if (cudaError_t error = cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr)) return error;
  return report(cuStreamSynchronize(nullptr));
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  if (cudaError_t error = cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr)) return error;
  return report(cuStreamSynchronize(nullptr));
}

} // extern "C"

MXC_PER_THREAD(cudaMemcpy2DAsync, _ptsz)
MXC_PER_THREAD(cudaMemcpy2D, _ptds)
MXC_PER_THREAD(cudaMemcpy3DAsync, _ptsz)
MXC_PER_THREAD(cudaMemcpy3D, _ptds)
MXC_PER_THREAD(cudaMemcpyAsync, _ptsz)
MXC_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
MXC_PER_THREAD(cudaMemcpyFromSymbol, _ptds)
MXC_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
MXC_PER_THREAD(cudaMemcpyToSymbol, _ptds)
MXC_PER_THREAD(cudaMemcpy, _ptds)
MXC_PER_THREAD(cudaMemset2DAsync, _ptsz)
MXC_PER_THREAD(cudaMemset2D, _ptds)
MXC_PER_THREAD(cudaMemset3DAsync, _ptsz)
MXC_PER_THREAD(cudaMemset3D, _ptds)
MXC_PER_THREAD(cudaMemsetAsync, _ptsz)
MXC_PER_THREAD(cudaMemset, _ptds)
