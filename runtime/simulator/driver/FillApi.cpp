// cuMemset*: values of 8, 16 or 32 bits, in a line or in rows.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Transfer.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

namespace {
struct Fill {
  CUdeviceptr to;
  uint32_t value;
  unsigned valueBytes;
  uint64_t width, height, pitch; // width in values
};
} // namespace

static Range rangeOf(const Fill &f) {
  constexpr uint64_t kMaximum = uint64_t(1) << 48;
  require(f.to % f.valueBytes == 0 && f.width <= kMaximum);
  uint64_t rowBytes = f.width * f.valueBytes;
  if (f.height == 1) return deviceRange(f.to, rowBytes);
  require(f.pitch >= rowBytes && f.pitch % f.valueBytes == 0 && f.pitch <= kMaximum &&
          f.height <= kMaximum / f.pitch);
  return deviceRange(f.to, f.pitch * (f.height - 1) + rowBytes);
}

static void perform(const Fill &f) {
  fill(rangeOf(f), f.value, f.valueBytes, {f.height, f.width * f.valueBytes, f.pitch, 0});
}

static CUresult fillNow(const Fill &f) {
  return inContextAsync([&](const ContextPointer &context) { // asynchronous to the host even without "Async"
    if (!f.width || !f.height) return CUDA_SUCCESS;
    rangeOf(f);
    return enqueue(context, nullptr,
                   {CU_GRAPH_NODE_TYPE_MEMSET, [f] { return guarded([&] { perform(f); }); }});
  });
}

static CUresult fillLater(const Fill &f, CUstream stream) {
  return inContextAsync([&](const ContextPointer &context) {
    Simulator::instance().stream(context, stream);
    if (!f.width || !f.height) return CUDA_SUCCESS;
    rangeOf(f); // a bad address is refused at once
    return enqueue(context, stream,
                   {CU_GRAPH_NODE_TYPE_MEMSET, [f] { return guarded([&] { perform(f); }); }});
  });
}

CUresult api::cuMemsetD8_v2(CUdeviceptr dst, unsigned char uc, size_t N) {
  return fillNow({dst, uc, 1, N, 1, 0});
}
CUresult api::cuMemsetD16_v2(CUdeviceptr dst, unsigned short us, size_t N) {
  return fillNow({dst, us, 2, N, 1, 0});
}
CUresult api::cuMemsetD32_v2(CUdeviceptr dst, unsigned ui, size_t N) {
  return fillNow({dst, ui, 4, N, 1, 0});
}
CUresult api::cuMemsetD8Async(CUdeviceptr dst, unsigned char uc, size_t N, CUstream s) {
  return fillLater({dst, uc, 1, N, 1, 0}, s);
}
CUresult api::cuMemsetD16Async(CUdeviceptr dst, unsigned short us, size_t N, CUstream s) {
  return fillLater({dst, us, 2, N, 1, 0}, s);
}
CUresult api::cuMemsetD32Async(CUdeviceptr dst, unsigned ui, size_t N, CUstream s) {
  return fillLater({dst, ui, 4, N, 1, 0}, s);
}

CUresult api::cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char uc, size_t width, size_t height) {
  return fillNow({dst, uc, 1, width, height, pitch});
}
CUresult api::cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short us, size_t width,
                               size_t height) {
  return fillNow({dst, us, 2, width, height, pitch});
}
CUresult api::cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned ui, size_t width, size_t height) {
  return fillNow({dst, ui, 4, width, height, pitch});
}
CUresult api::cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char uc, size_t width, size_t height,
                                CUstream s) {
  return fillLater({dst, uc, 1, width, height, pitch}, s);
}
CUresult api::cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short us, size_t width,
                                 size_t height, CUstream s) {
  return fillLater({dst, us, 2, width, height, pitch}, s);
}
CUresult api::cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned ui, size_t width, size_t height,
                                 CUstream s) {
  return fillLater({dst, ui, 4, width, height, pitch}, s);
}

} // namespace mxc::sim
