// The primary context of a device: one object, alive while it is retained. Its handle stays the same.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim::api {

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  return started([&] {
    require(pctx != nullptr);
    SimulatedDevice &device = Simulator::instance().device(dev);
    std::lock_guard lock(device.primaryMutex);
    ++device.primaryRetained;
    device.primary->isAlive = true;
    *pctx = device.primary->handle;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return started([&] {
    SimulatedDevice &device = Simulator::instance().device(dev);
    std::lock_guard lock(device.primaryMutex);
    require(device.primaryRetained > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--device.primaryRetained > 0) return;
    device.primary->isAlive = false;
    Simulator::instance().destroyObjectsOf(*device.primary);
  });
}

// Whoever retained it goes on with a context as good as new.
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return started([&] {
    SimulatedDevice &device = Simulator::instance().device(dev);
    std::lock_guard lock(device.primaryMutex);
    Simulator::instance().destroyObjectsOf(*device.primary);
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active) {
  return started([&] {
    require(flags && active);
    SimulatedDevice &device = Simulator::instance().device(dev);
    std::lock_guard lock(device.primaryMutex);
    *flags = device.primary->flags, *active = device.primaryRetained > 0;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned flags) {
  return started([&] {
    require((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0);
    Simulator::instance().device(dev).primary->flags = flags;
  });
}

} // namespace mxc::sim::api
