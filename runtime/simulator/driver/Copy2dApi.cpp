// Copies of rectangles. Arrays (textures' memory) are not simulated.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Transfer.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static Range rangeOf(CUmemorytype type, const void *host, CUdeviceptr device, uint64_t offset,
                     uint64_t bytes) {
  require(type == CU_MEMORYTYPE_HOST ? host != nullptr : device != 0);
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    return unifiedRange(reinterpret_cast<uint64_t>(host) + offset, bytes);
  case CU_MEMORYTYPE_DEVICE:
    return deviceRange(device + offset, bytes);
  case CU_MEMORYTYPE_UNIFIED:
    return unifiedRange(device + offset, bytes);
  default:
    throw Refusal{CUDA_ERROR_NOT_SUPPORTED};
  }
}

/// Where a rectangle's rows begin, and how far it reaches. A pitch of 0 means rows without gaps.
static uint64_t extent(uint64_t &pitch, const CUDA_MEMCPY2D &c, uint64_t x) {
  if (pitch == 0) pitch = x + c.WidthInBytes;
  require(x <= pitch && c.WidthInBytes <= pitch - x);
  constexpr uint64_t kMaximum = uint64_t(1) << 48;
  require(pitch <= kMaximum && c.Height <= kMaximum / pitch);
  return pitch * (c.Height - 1) + c.WidthInBytes;
}

static void perform(const CUDA_MEMCPY2D &c, bool isTrial) {
  uint64_t toPitch = c.dstPitch, fromPitch = c.srcPitch;
  uint64_t toBytes = extent(toPitch, c, c.dstXInBytes), fromBytes = extent(fromPitch, c, c.srcXInBytes);
  Range to = rangeOf(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstY * toPitch + c.dstXInBytes, toBytes);
  Range from =
      rangeOf(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcY * fromPitch + c.srcXInBytes, fromBytes);
  if (!isTrial) copy(to, from, {c.Height, c.WidthInBytes, toPitch, fromPitch});
}

static CUresult copyNow(const CUDA_MEMCPY2D *c) {
  return inContext([&](const ContextPointer &) {
    require(c != nullptr);
    if (c->WidthInBytes && c->Height) perform(*c, false);
  });
}
CUresult api::cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copyNow(pCopy); }
CUresult api::cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) { return copyNow(pCopy); }

CUresult api::cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    require(pCopy != nullptr);
    Simulator::instance().stream(context, hStream);
    if (!pCopy->WidthInBytes || !pCopy->Height) return CUDA_SUCCESS;
    perform(*pCopy, true); // a bad address is refused at once
    return enqueue(context, hStream,
                   {CU_GRAPH_NODE_TYPE_MEMCPY, [c = *pCopy] { return guarded([&] { perform(c, false); }); }});
  });
}

} // namespace mxc::sim
