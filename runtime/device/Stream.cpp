#include "runtime/device/Stream.h"

namespace mxc {

Stream::Stream(const Device &device) : handle_(device) {
  ContextScope scope(device);
  device.check(device.driver().cuStreamCreate(handle_.place(), CU_STREAM_NON_BLOCKING), "create a stream");
}

void Stream::synchronize() const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  device.check(device.driver().cuStreamSynchronize(handle()), "wait for a stream");
}

bool Stream::isIdle() const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  CUresult result = device.driver().cuStreamQuery(handle());
  if (result == CUDA_ERROR_NOT_READY) return false;
  device.check(result, "query a stream");
  return true;
}

void Stream::waitFor(const Event &event) const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  device.check(device.driver().cuStreamWaitEvent(handle(), event.handle(), CU_EVENT_WAIT_DEFAULT),
               "make a stream wait for an event");
}

Event::Event(const Device &device) : handle_(device) {
  ContextScope scope(device);
  device.check(device.driver().cuEventCreate(handle_.place(), CU_EVENT_DEFAULT), "create an event");
}

void Event::record(CUstream stream) const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  device.check(device.driver().cuEventRecord(handle(), stream), "record an event");
}

void Event::synchronize() const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  device.check(device.driver().cuEventSynchronize(handle()), "wait for an event");
}

double Event::microsSince(const Event &start) const {
  const Device &device = handle_.device();
  ContextScope scope(device);
  float milliseconds = 0;
  device.check(device.driver().cuEventElapsedTime(&milliseconds, start.handle(), handle()),
               "take the time between two events");
  return static_cast<double>(milliseconds) * 1000;
}

} // namespace mxc
