#include "runtime/device/Stream.h"

namespace mxc {

Stream::Stream(const Device &device) : device_(device) {
  ContextScope scope(device_);
  device_.check(device_.driver().cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING), "create a stream");
}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this == &other) return *this;
  reset();
  device_ = other.device_;
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

void Stream::reset() noexcept {
  if (!handle_) return;
  ContextScope scope(device_);
  device_.driver().cuStreamDestroy_v2(std::exchange(handle_, nullptr));
}

void Stream::synchronize() const {
  ContextScope scope(device_);
  device_.check(device_.driver().cuStreamSynchronize(handle_), "wait for a stream");
}

bool Stream::isIdle() const {
  ContextScope scope(device_);
  CUresult result = device_.driver().cuStreamQuery(handle_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_.check(result, "query a stream");
  return true;
}

void Stream::waitFor(const Event &event) const {
  ContextScope scope(device_);
  device_.check(device_.driver().cuStreamWaitEvent(handle_, event.handle(), CU_EVENT_WAIT_DEFAULT),
                "make a stream wait for an event");
}

Event::Event(const Device &device) : device_(device) {
  ContextScope scope(device_);
  device_.check(device_.driver().cuEventCreate(&handle_, CU_EVENT_DEFAULT), "create an event");
}

Event &Event::operator=(Event &&other) noexcept {
  if (this == &other) return *this;
  reset();
  device_ = other.device_;
  handle_ = std::exchange(other.handle_, nullptr);
  return *this;
}

void Event::reset() noexcept {
  if (!handle_) return;
  ContextScope scope(device_);
  device_.driver().cuEventDestroy_v2(std::exchange(handle_, nullptr));
}

void Event::record(CUstream stream) const {
  ContextScope scope(device_);
  device_.check(device_.driver().cuEventRecord(handle_, stream), "record an event");
}

void Event::synchronize() const {
  ContextScope scope(device_);
  device_.check(device_.driver().cuEventSynchronize(handle_), "wait for an event");
}

double Event::microsSince(const Event &start) const {
  ContextScope scope(device_);
  float milliseconds = 0;
  device_.check(device_.driver().cuEventElapsedTime(&milliseconds, start.handle_, handle_),
                "take the time between two events");
  return static_cast<double>(milliseconds) * 1000;
}

} // namespace mxc
