// Copies of boxes: rectangles, one slice after the other.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

/// The rectangle at `z` of the box. A height of 0 means slices without gaps.
static CUDA_MEMCPY2D sliceOf(const CUDA_MEMCPY3D &c, size_t z) {
  const size_t fromHeight = c.srcHeight ? c.srcHeight : c.srcY + c.Height,
               toHeight = c.dstHeight ? c.dstHeight : c.dstY + c.Height;
  CUDA_MEMCPY2D slice{};
  slice.srcXInBytes = c.srcXInBytes, slice.srcY = c.srcY + (c.srcZ + z) * fromHeight;
  slice.srcMemoryType = c.srcMemoryType, slice.srcHost = c.srcHost, slice.srcDevice = c.srcDevice;
  slice.srcPitch = c.srcPitch;
  slice.dstXInBytes = c.dstXInBytes, slice.dstY = c.dstY + (c.dstZ + z) * toHeight;
  slice.dstMemoryType = c.dstMemoryType, slice.dstHost = c.dstHost, slice.dstDevice = c.dstDevice;
  slice.dstPitch = c.dstPitch;
  slice.WidthInBytes = c.WidthInBytes, slice.Height = c.Height;
  return slice;
}

static CUresult perform(const CUDA_MEMCPY3D &c) {
  for (size_t z = 0; z < c.Depth; ++z) {
    CUDA_MEMCPY2D slice = sliceOf(c, z);
    if (CUresult failure = api::cuMemcpy2DUnaligned_v2(&slice)) return failure;
  }
  return CUDA_SUCCESS;
}

/// Nobody has so many bytes; products of what passes do not wrap.
static void checkExtents(const CUDA_MEMCPY3D &c) {
  constexpr size_t kMaximum = size_t(1) << 20;
  for (size_t extent : {c.srcY, c.srcZ, c.srcHeight, c.dstY, c.dstZ, c.dstHeight, c.Height, c.Depth})
    require(extent <= kMaximum);
}

CUresult api::cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
  return inContext([&](const ContextPointer &) {
    require(pCopy != nullptr);
    checkExtents(*pCopy);
    return perform(*pCopy);
  });
}

CUresult api::cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    require(pCopy != nullptr);
    checkExtents(*pCopy);
    return enqueue(context, hStream, {CU_GRAPH_NODE_TYPE_MEMCPY, [c = *pCopy] { return perform(c); }});
  });
}

} // namespace mxc::sim
