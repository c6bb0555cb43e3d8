// Streams. All work is done when the call that enqueues it returns.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include <algorithm>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static std::shared_ptr<Stream> streamOf(const ContextPointer &context, CUstream handle) {
  return Simulator::instance().stream(context, handle);
}

CUresult api::cuStreamCreateWithPriority(CUstream *phStream, unsigned flags, int priority) {
  return inContext([&](const ContextPointer &context) {
    static std::atomic<uint64_t> ids{2}; // after those of the default streams
    require(phStream && (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
    auto stream = std::make_shared<Stream>();
    stream->context = context, stream->flags = flags, stream->id = ++ids;
    stream->priority = std::clamp(priority, -5, 0); // cuCtxGetStreamPriorityRange
    *phStream = Simulator::instance().streams.add(stream);
  });
}
CUresult api::cuStreamCreate(CUstream *phStream, unsigned Flags) {
  return api::cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult api::cuStreamDestroy_v2(CUstream hStream) {
  return inContextAsync([&](const ContextPointer &) {
    auto stream = Simulator::instance().streams.remove(hStream);
    require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE);
    if (std::shared_ptr<Capture> capture = stream->capture.get()) capture->ruin();
  });
}

/// Neither may be done to a stream that captures; the capture is lost.
static void refuseCapture(const Stream &stream) {
  std::shared_ptr<Capture> capture = stream.capture.get();
  if (!capture) return;
  capture->ruin();
  throw Refusal{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
}
static CUresult waitFor(CUstream stream) {
  return inContext([&](const ContextPointer &context) {
    refuseCapture(*streamOf(context, stream));
    context->device.memory().settle();
  });
}
CUresult api::cuStreamSynchronize(CUstream hStream) { return waitFor(hStream); }
CUresult api::cuStreamQuery(CUstream hStream) { return waitFor(hStream); }

CUresult api::cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned Flags) {
  return inContextAsync([&](const ContextPointer &context) {
    auto stream = streamOf(context, hStream);
    auto event = Simulator::instance().event(hEvent);
    std::shared_ptr<Capture> capture = event->capture.get();
    if (Flags == CU_EVENT_WAIT_EXTERNAL || !capture) return;
    // The event is part of a capture: this stream joins it.
    if (!stream->capture.begin(capture))
      require(stream->capture.get() == capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  });
}

CUresult api::cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                  unsigned flags) {
  return inContextAsync([&](const ContextPointer &context) {
    require(callback && flags == 0);
    auto stream = streamOf(context, hStream);
    refuseCapture(*stream);
    context->showPrinted();
    callback(hStream, context->errorSeen(), userData);
  });
}

CUresult api::cuStreamGetPriority(CUstream hStream, int *priority) {
  return inContextAsync([&](const ContextPointer &context) {
    require(priority != nullptr);
    *priority = streamOf(context, hStream)->priority;
  });
}
CUresult api::cuStreamGetFlags(CUstream hStream, unsigned *flags) {
  return inContextAsync([&](const ContextPointer &context) {
    require(flags != nullptr);
    *flags = streamOf(context, hStream)->flags;
  });
}
CUresult api::cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
  return inContextAsync([&](const ContextPointer &context) {
    require(streamId != nullptr);
    *streamId = streamOf(context, hStream)->id;
  });
}

static ContextPointer ownerOf(const Stream &stream) {
  auto owner = stream.context.lock();
  require(owner != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return owner;
}
CUresult api::cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
  return inContextAsync([&](const ContextPointer &context) {
    require(pctx != nullptr);
    *pctx = ownerOf(*streamOf(context, hStream))->handle;
  });
}
CUresult api::cuStreamGetDevice(CUstream hStream, CUdevice *device) {
  return inContextAsync([&](const ContextPointer &context) {
    require(device != nullptr);
    *device = ownerOf(*streamOf(context, hStream))->device.ordinal();
  });
}

} // namespace mxc::sim
