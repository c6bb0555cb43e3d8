// Captures of streams into graphs.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return inContextAsync([&](const ContextPointer &context) {
    require(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    auto stream = Simulator::instance().stream(context, hStream);
    require(stream != context->legacyStream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(stream->capture.begin(std::make_shared<Capture>(context, stream.get())),
            CUDA_ERROR_ILLEGAL_STATE);
  });
}

CUresult api::cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
  return inContextAsync([&](const ContextPointer &context) {
    require(phGraph != nullptr);
    *phGraph = nullptr;
    auto stream = Simulator::instance().stream(context, hStream);
    const std::shared_ptr<Capture> capture = stream->capture.get();
    require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    require(capture->origin() == stream.get(), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    const std::shared_ptr<Graph> graph = capture->end(); // other streams that joined see it
    require(graph != nullptr, CUDA_ERROR_ILLEGAL_STATE); // another thread was quicker
    *phGraph = Simulator::instance().graphs.add(graph);
  });
}

static CUstreamCaptureStatus statusOf(const std::shared_ptr<Capture> &capture) {
  if (!capture) return CU_STREAM_CAPTURE_STATUS_NONE;
  return capture->isInvalid() ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult api::cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  return inContextAsync([&](const ContextPointer &context) {
    require(captureStatus != nullptr);
    *captureStatus = statusOf(Simulator::instance().stream(context, hStream)->capture.get());
  });
}

// Status and number; a graph's nodes are not the caller's to see.
CUresult api::cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                        CUgraph *graph, const CUgraphNode **dependencies,
                                        size_t *numDependencies) {
  return inContextAsync([&](const ContextPointer &context) {
    require(status != nullptr);
    const std::shared_ptr<Capture> capture = Simulator::instance().stream(context, hStream)->capture.get();
    require(!capture || (!graph && !dependencies), CUDA_ERROR_NOT_SUPPORTED);
    *status = statusOf(capture);
    if (id) *id = capture ? capture->id() : 0;
    if (numDependencies) *numDependencies = 0;
  });
}
CUresult api::cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                        CUgraph *graph, const CUgraphNode **dependencies,
                                        const CUgraphEdgeData **, size_t *numDependencies) {
  return api::cuStreamGetCaptureInfo_v2(hStream, status, id, graph, dependencies, numDependencies);
}

CUresult api::cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return started([&] {
    thread_local CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;
    require(mode && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    std::swap(*mode, current);
  });
}

} // namespace mxc::sim
