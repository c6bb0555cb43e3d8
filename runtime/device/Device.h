// A GPU, or what stands in for one under the driver table.
#pragma once

#include "runtime/device/Driver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct ComputeCapability {
  int major = 0, minor = 0;
  auto operator<=>(const ComputeCapability &) const = default;
};

struct DeviceLimits {
  int multiprocessors = 0;
  int maxThreadsPerBlock = 0;
  int sharedBytesPerBlock = 0;      // without opting in: 48 KiB
  int sharedBytesPerBlockOptIn = 0; // what a kernel may ask for
  int sharedBytesPerMultiprocessor = 0;
  int l2Bytes = 0;
  int clockKilohertz = 0;
  int memoryClockKilohertz = 0, memoryBusBits = 0;
  int64_t memoryBytes = 0;

  double memoryBytesPerSecond() const { return 2e3 * memoryClockKilohertz * memoryBusBits / 8; } // at most
};

/// A cheap handle: copies share one retained primary context, which lives until the last copy and everything
/// that was made on the device are gone. Any thread may use it: each operation makes the context current for
/// its own duration only.
class Device {
public:
  /// Opens device `ordinal` of `driver`; messages call it `name`. Throws mxc::Error (Device) if the driver
  /// fails to start or has no such device.
  Device(const Driver &driver, int ordinal, const std::string &name);

  const Driver &driver() const { return state_->driver; }
  CUcontext context() const { return state_->context; }
  int ordinal() const { return state_->ordinal; }
  const std::string &name() const { return state_->name; }   // "cuda:0"
  const std::string &model() const { return state_->model; } // "NVIDIA H200"
  ComputeCapability computeCapability() const { return state_->capability; }
  const DeviceLimits &limits() const { return state_->limits; }
  int driverVersion() const { return state_->driverVersion; } // 13000 = CUDA 13.0

  /// The targets whose cubins run here, the most specific first: a device of 9.0 takes sm_90a and sm_90.
  std::vector<std::string> targetsAccepted() const;

  int64_t freeBytes() const; // of device memory, now

  /// Memory of launches' workspaces, allocated and freed in a stream's order. What is free again stays here
  /// for the next launch, past synchronizations: to map gigabytes anew takes milliseconds. It goes back by
  /// trimPool, when an allocation of ours would fail without it, and with the device.
  CUmemoryPool pool() const { return state_->pool; }
  void trimPool() const; // what no enqueued work uses; throws mxc::Error (Device)

  /// Waits for all work of the context, on every stream. Throws mxc::Error (Device) if that work failed, and
  /// also while a stream captures: that capture is then lost.
  void synchronize() const;
  void check(CUresult result, std::string_view attempted) const { driver().check(result, attempted, name()); }

  bool operator==(const Device &other) const { return state_ == other.state_; }

private:
  struct State {
    Driver driver;
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmemoryPool pool = nullptr;
    int ordinal = 0, driverVersion = 0;
    std::string name, model;
    ComputeCapability capability;
    DeviceLimits limits;
    ~State();
  };
  std::shared_ptr<State> state_;
};

/// Opens "cuda:0" or "simulator:sm_100a". Throws mxc::Error: Usage if the name is ill-formed or names a
/// target that is not simulated, Device if there is no such device, or the simulator is not linked
/// (mxc_runtime_simulator).
Device openDevice(std::string_view name);

/// Makes a device's context current on this thread while it lives. If that fails (the driver is shutting
/// down, the context is lost), the driver call inside it fails and says so.
class ContextScope {
public:
  explicit ContextScope(const Device &device) noexcept;
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Driver &driver_;
  bool pushed_;
};

} // namespace mxc
