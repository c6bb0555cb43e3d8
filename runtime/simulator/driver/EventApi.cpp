// Events. Time is the host's.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

CUresult api::cuEventCreate(CUevent *phEvent, unsigned Flags) {
  return inContext([&](const ContextPointer &context) {
    constexpr unsigned kKnown = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    require(phEvent && (Flags & ~kKnown) == 0);
    require(!(Flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_NOT_SUPPORTED);
    auto event = std::make_shared<Event>();
    event->context = context, event->flags = Flags;
    *phEvent = Simulator::instance().events.add(event);
  });
}

CUresult api::cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned flags) {
  return inContextAsync([&](const ContextPointer &context) {
    require((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) == 0);
    auto stream = Simulator::instance().stream(context, hStream);
    auto event = Simulator::instance().event(hEvent);
    std::shared_ptr<Capture> capture = stream->capture.get();
    if (flags & CU_EVENT_RECORD_EXTERNAL) capture = nullptr;
    event->capture.set(capture);
    if (capture) return CUDA_SUCCESS; // a point in the capture; it is no moment
    return enqueue(context, hStream,
                   {CU_GRAPH_NODE_TYPE_EVENT_RECORD, [event] { return event->record(), CUDA_SUCCESS; }});
  });
}
CUresult api::cuEventRecord(CUevent hEvent, CUstream hStream) {
  return api::cuEventRecordWithFlags(hEvent, hStream, 0);
}

static CUresult wait(CUevent handle) {
  return inContext([&](const ContextPointer &) {
    auto event = Simulator::instance().event(handle);
    require(!event->capture.get(), CUDA_ERROR_CAPTURED_EVENT);
  });
}
CUresult api::cuEventQuery(CUevent hEvent) { return wait(hEvent); }
CUresult api::cuEventSynchronize(CUevent hEvent) { return wait(hEvent); }

CUresult api::cuEventDestroy_v2(CUevent hEvent) {
  return inContextAsync([&](const ContextPointer &) {
    require(Simulator::instance().events.remove(hEvent) != nullptr, CUDA_ERROR_INVALID_HANDLE);
  });
}

CUresult api::cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  return inContext([&](const ContextPointer &) {
    require(pMilliseconds != nullptr);
    auto start = Simulator::instance().event(hStart), end = Simulator::instance().event(hEnd);
    for (const auto &event : {start, end})
      require(event->isRecorded && !(event->flags & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE);
    *pMilliseconds = std::chrono::duration<float, std::milli>(end->time.load() - start->time.load()).count();
  });
}
CUresult api::cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  return api::cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

} // namespace mxc::sim
