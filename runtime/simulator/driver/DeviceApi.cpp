// Devices. A CUdevice is its ordinal.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include <cstdio>
#include <cstring>

namespace mxc::sim::api {

static SimulatedDevice &deviceAt(CUdevice device) { return Simulator::instance().device(device); }

CUresult cuDeviceGetCount(int *count) {
  return started([&] {
    require(count != nullptr);
    *count = Simulator::instance().deviceCount();
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return started([&] {
    require(device != nullptr);
    *device = deviceAt(ordinal).ordinal();
  });
}

static void copyText(std::string_view text, char *to, int length) {
  require(to && length > 0);
  size_t copied = text.copy(to, static_cast<size_t>(length) - 1);
  to[copied] = 0;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
  return started([&] { copyText(deviceAt(dev).chip().device.name, name, len); });
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  return started([&] {
    require(uuid != nullptr);
    SimulatedDevice &device = deviceAt(dev);
    std::memset(uuid->bytes, 0, sizeof uuid->bytes);
    std::snprintf(uuid->bytes, sizeof uuid->bytes, "mxc-sim-%s", device.chip().target.text().c_str());
  });
}
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) { return api::cuDeviceGetUuid_v2(uuid, dev); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  return started([&] {
    require(bytes != nullptr);
    *bytes = deviceAt(dev).memory().capacity();
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  return started([&] {
    require(major && minor);
    const Chip &chip = deviceAt(dev).chip();
    *major = chip.target.major(), *minor = chip.target.minor();
  });
}

// "0000:01:00.0": bus 1 + ordinal, as cuDeviceGetAttribute says.
CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  return started([&] {
    char text[16];
    std::snprintf(text, sizeof text, "0000:%02x:00.0",
                  static_cast<unsigned>(deviceAt(dev).ordinal() + 1) & 0xff);
    copyText(text, pciBusId, len);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  return started([&] {
    require(dev && pciBusId);
    unsigned domain = 0, bus = 0, device = 0;
    if (std::sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &device) != 3)
      require(std::sscanf(pciBusId, "%x:%x", &bus, &device) == 2);
    *dev = deviceAt(static_cast<int>(bus) - 1).ordinal();
  });
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return started([&] {
    require(canAccessPeer != nullptr);
    deviceAt(dev), deviceAt(peerDev);
    *canAccessPeer = 0; // copies between devices work, kernels reach their own device's memory only
  });
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute, CUdevice srcDevice, CUdevice dstDevice) {
  return started([&] {
    require(value && srcDevice != dstDevice);
    deviceAt(srcDevice), deviceAt(dstDevice);
    *value = 0;
  });
}

} // namespace mxc::sim::api
