// Copies of contiguous bytes.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Transfer.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

enum class Side { Host, Device, Unified };

static Range rangeOf(Side side, uint64_t address, size_t bytes) {
  return side == Side::Device ? deviceRange(address, bytes) : unifiedRange(address, bytes);
}
static uint64_t number(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

namespace {
struct Transfer {
  Side toSide;
  uint64_t to;
  Side fromSide;
  uint64_t from;
  size_t bytes;
};
} // namespace

static void perform(const Transfer &t) {
  copy(rangeOf(t.toSide, t.to, t.bytes), rangeOf(t.fromSide, t.from, t.bytes), {1, t.bytes, 0, 0});
}

static CUresult copyNow(const Transfer &t) {
  return inContext([&](const ContextPointer &) {
    if (t.bytes) perform(t);
  });
}

static CUresult copyLater(const Transfer &t, CUstream stream) {
  return inContextAsync([&](const ContextPointer &context) {
    Simulator::instance().stream(context, stream);
    if (!t.bytes) return CUDA_SUCCESS;
    rangeOf(t.toSide, t.to, t.bytes),
        rangeOf(t.fromSide, t.from, t.bytes); // a bad address is refused at once
    return enqueue(context, stream,
                   {CU_GRAPH_NODE_TYPE_MEMCPY, [t] { return guarded([&] { perform(t); }); }});
  });
}

using enum Side;

CUresult api::cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copyNow({Unified, dst, Unified, src, ByteCount});
}
CUresult api::cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copyLater({Unified, dst, Unified, src, ByteCount}, hStream);
}
CUresult api::cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t ByteCount) {
  return copyNow({Device, dst, Host, number(src), ByteCount});
}
CUresult api::cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t ByteCount) {
  return copyNow({Host, number(dst), Device, src, ByteCount});
}
CUresult api::cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copyNow({Device, dst, Device, src, ByteCount});
}
CUresult api::cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t ByteCount, CUstream hStream) {
  return copyLater({Device, dst, Host, number(src), ByteCount}, hStream);
}
CUresult api::cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copyLater({Host, number(dst), Device, src, ByteCount}, hStream);
}
CUresult api::cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copyLater({Device, dst, Device, src, ByteCount}, hStream);
}

static bool areContexts(CUcontext first, CUcontext second) {
  auto &contexts = Simulator::instance().contexts;
  return contexts.find(first) && contexts.find(second);
}
CUresult api::cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                           size_t ByteCount) {
  if (!areContexts(dstContext, srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return copyNow({Device, dst, Device, src, ByteCount});
}
CUresult api::cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                                size_t ByteCount, CUstream hStream) {
  if (!areContexts(dstContext, srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return copyLater({Device, dst, Device, src, ByteCount}, hStream);
}

} // namespace mxc::sim
