// Streams, events, the beginning and the end of captures.
#include "runtime/simulator/cudart/Runtime.h"

using namespace mxc::sim::cudart;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return started([&] { return cuStreamCreateWithPriority(stream, flags, priority); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return started([&] { return cuStreamCreate(stream, flags); });
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return started([&] { return cuStreamDestroy(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return started([&] { return cuStreamSynchronize(stream); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return started([&] { return cuStreamQuery(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return started([&] { return cuStreamWaitEvent(stream, event, flags); });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
  return started([&] { // the driver's numbers of errors are the runtime's
    return cuStreamAddCallback(stream, reinterpret_cast<CUstreamCallback>(callback), data, flags);
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return started([&] { return cuLaunchHostFunc(stream, function, data); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return started([&] { return cuStreamGetPriority(stream, priority); });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return started([&] { return cuStreamGetFlags(stream, flags); });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return started([&] { return cuStreamGetId(stream, id); });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return started([&] { return cuStreamGetDevice(stream, device); });
}
// Policies of caches and synchronization: nothing here depends on them.
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *value) {
  return started([&] { return value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *value) {
  return started([&] { return value ? (*value = {}, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE; });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) {
  return started([] { return CUDA_SUCCESS; });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return started([&] { return cuCtxGetStreamPriorityRange(least, greatest); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return started([&] { return cuEventCreate(event, flags); });
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return started([&] { return cuEventDestroy(event); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return started([&] { return cuEventRecord(event, stream); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return started([&] { return cuEventRecordWithFlags(event, stream, flags); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return started([&] { return cuEventQuery(event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return started([&] { return cuEventSynchronize(event); });
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return started([&] { return cuEventElapsedTime(milliseconds, from, to); });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return started([&] { return cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return started([&] { return cuStreamEndCapture(stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return started(
      [&] { return cuStreamIsCapturing(stream, reinterpret_cast<CUstreamCaptureStatus *>(status)); });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return started(
      [&] { return cuThreadExchangeStreamCaptureMode(reinterpret_cast<CUstreamCaptureMode *>(mode)); });
}

} // extern "C"

MXC_PER_THREAD(cudaEventRecordWithFlags, _ptsz)
MXC_PER_THREAD(cudaEventRecord, _ptsz)
MXC_PER_THREAD(cudaLaunchHostFunc, _ptsz)
MXC_PER_THREAD(cudaStreamAddCallback, _ptsz)
MXC_PER_THREAD(cudaStreamBeginCapture, _ptsz)
MXC_PER_THREAD(cudaStreamCopyAttributes, _ptsz)
MXC_PER_THREAD(cudaStreamEndCapture, _ptsz)
MXC_PER_THREAD(cudaStreamGetAttribute, _ptsz)
MXC_PER_THREAD(cudaStreamGetDevice, _ptsz)
MXC_PER_THREAD(cudaStreamGetFlags, _ptsz)
MXC_PER_THREAD(cudaStreamGetId, _ptsz)
MXC_PER_THREAD(cudaStreamGetPriority, _ptsz)
MXC_PER_THREAD(cudaStreamIsCapturing, _ptsz)
MXC_PER_THREAD(cudaStreamQuery, _ptsz)
MXC_PER_THREAD(cudaStreamSetAttribute, _ptsz)
MXC_PER_THREAD(cudaStreamSynchronize, _ptsz)
MXC_PER_THREAD(cudaStreamWaitEvent, _ptsz)
