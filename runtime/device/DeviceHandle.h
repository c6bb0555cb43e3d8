// A handle of the driver's that is destroyed with its owner: what streams, events and graphs have in common.
#pragma once

#include "runtime/device/Device.h"

#include <utility>

namespace mxc {

/// A `Handle` on a device, which `destroy`, a function of the driver table, takes back. It may be null, and
/// is once it has been moved from.
template <typename Handle, auto destroy> class DeviceHandle {
public:
  explicit DeviceHandle(const Device &device) : device_(device) {}
  ~DeviceHandle() { reset(); }
  DeviceHandle(DeviceHandle &&other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  DeviceHandle &operator=(DeviceHandle &&other) noexcept {
    if (this == &other) return *this;
    reset();
    device_ = other.device_;
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }

  const Device &device() const { return device_; }
  Handle get() const { return handle_; }
  Handle *place() { return &handle_; } // for the function that creates it

private:
  void reset() noexcept {
    if (!handle_) return;
    ContextScope scope(device_);
    (device_.driver().*destroy)(std::exchange(handle_, nullptr));
  }
  Device device_;
  Handle handle_ = nullptr;
};

} // namespace mxc
