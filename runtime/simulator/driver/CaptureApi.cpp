// Captures of streams into graphs.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return inContextAsync([&](const ContextPointer &context) {
    static std::atomic<uint64_t> ids{0};
    require(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    auto stream = Simulator::instance().stream(context, hStream);
    require(stream != context->legacyStream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(!stream->capturing(), CUDA_ERROR_ILLEGAL_STATE);
    auto capture = std::make_shared<Capture>();
    capture->graph = std::make_shared<Graph>();
    capture->graph->context = context;
    capture->origin = stream.get(), capture->id = ++ids;
    stream->capture = std::move(capture);
  });
}

CUresult api::cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
  return inContextAsync([&](const ContextPointer &context) {
    require(phGraph != nullptr);
    *phGraph = nullptr;
    auto stream = Simulator::instance().stream(context, hStream);
    require(stream->capturing() != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    require(stream->capture->origin == stream.get(), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    auto capture = std::move(stream->capture); // other streams that joined see that it has ended
    stream->capture = nullptr;
    capture->hasEnded = true;
    require(!capture->isInvalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    *phGraph = Simulator::instance().graphs.add(capture->graph);
  });
}

static CUstreamCaptureStatus statusOf(const Capture *capture) {
  if (!capture) return CU_STREAM_CAPTURE_STATUS_NONE;
  return capture->isInvalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult api::cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  return inContextAsync([&](const ContextPointer &context) {
    require(captureStatus != nullptr);
    *captureStatus = statusOf(Simulator::instance().stream(context, hStream)->capturing());
  });
}

// Status and number; a graph's nodes are not the caller's to see.
CUresult api::cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                        CUgraph *graph, const CUgraphNode **dependencies,
                                        size_t *numDependencies) {
  return inContextAsync([&](const ContextPointer &context) {
    require(status != nullptr);
    const Capture *capture = Simulator::instance().stream(context, hStream)->capturing();
    require(!capture || (!graph && !dependencies), CUDA_ERROR_NOT_SUPPORTED);
    *status = statusOf(capture);
    if (id) *id = capture ? capture->id : 0;
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
