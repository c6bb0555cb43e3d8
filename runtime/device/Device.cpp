#include "runtime/device/Device.h"

#include "dialect/formats/TargetName.h"
#include "runtime/device/DeviceName.h"
#include "runtime/device/DriverProvider.h"

namespace mxc {

Device::Device(const Driver &driver, int ordinal, const std::string &name)
    : state_(std::make_shared<State>()) {
  State &s = *state_;
  s.driver = driver;
  s.ordinal = ordinal;
  s.name = name;
  check(driver.cuInit(0), "start the CUDA driver");
  check(driver.cuDriverGetVersion(&s.driverVersion), "ask the driver's version");
  int count = 0;
  check(driver.cuDeviceGetCount(&count), "count the devices");
  if (ordinal < 0 || ordinal >= count)
    throw Error(ErrorKind::Device, "cannot open " + name + ": this machine has " + std::to_string(count) +
                                       " CUDA device" + (count == 1 ? "" : "s") +
                                       " (CUDA_VISIBLE_DEVICES can hide some)");
  check(driver.cuDeviceGet(&s.device, ordinal), "get the device");

  char model[256] = {};
  check(driver.cuDeviceGetName(model, sizeof model - 1, s.device), "ask the device's name");
  s.model = model;
  auto attribute = [&](CUdevice_attribute id, const char *what) {
    int value = 0;
    check(driver.cuDeviceGetAttribute(&value, id, s.device), std::string("ask for ") + what);
    return value;
  };
  s.capability.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "the compute capability");
  s.capability.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "the compute capability");
  DeviceLimits &l = s.limits;
  l.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "the number of multiprocessors");
  l.maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "the threads a block");
  l.sharedBytesPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, "the shared memory");
  l.sharedBytesPerBlockOptIn =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "the shared memory");
  l.sharedBytesPerMultiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, "the shared memory");
  l.l2Bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "the L2 cache's size");
  l.clockKilohertz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, "the clock");
  l.memoryClockKilohertz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, "the memory's clock");
  l.memoryBusBits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, "the memory's width");
  size_t memoryBytes = 0;
  check(driver.cuDeviceTotalMem_v2(&memoryBytes, s.device), "ask for the memory's size");
  l.memoryBytes = static_cast<int64_t>(memoryBytes);
  check(driver.cuDevicePrimaryCtxRetain(&s.context, s.device), "make a context");

  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, s.device};
  const CUresult result = driver.cuMemPoolCreate(&s.pool, &properties);
  if (result == CUDA_ERROR_NOT_SUPPORTED) return; // what needs memory in a stream's order says so
  check(result, "make a pool of memory");
  cuuint64_t kept = UINT64_MAX;
  check(driver.cuMemPoolSetAttribute(s.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept),
        "let a pool keep its memory");
}

Device::State::~State() {
  if (pool) driver.cuMemPoolDestroy(pool);
  if (context) driver.cuDevicePrimaryCtxRelease_v2(device);
}

// CUDA's rules: an 'a' image runs on its very capability, an 'f' image on its family (the same major, this
// minor or a later one), a plain one likewise.
std::vector<std::string> Device::targetsAccepted() const {
  auto [major, minor] = computeCapability();
  std::vector<std::string> targets{TargetName(major, minor, 'a').text()};
  for (int m = minor; m >= 0; --m) {
    if (major >= 10) targets.push_back(TargetName(major, m, 'f').text());
    targets.push_back(TargetName(major, m, 0).text());
  }
  return targets;
}

int64_t Device::freeBytes() const {
  ContextScope scope(*this);
  size_t free = 0, total = 0;
  check(driver().cuMemGetInfo_v2(&free, &total), "ask for the free memory");
  return static_cast<int64_t>(free);
}

void Device::trimPool() const {
  if (!pool()) return;
  ContextScope scope(*this);
  check(driver().cuMemPoolTrimTo(pool(), 0), "give back a pool's memory");
}

void Device::synchronize() const {
  ContextScope scope(*this);
  check(driver().cuCtxSynchronize(), "wait for the device's work");
}

Device openDevice(std::string_view name) {
  DeviceName parsed = parseDeviceName(name);
  if (parsed.kind == DeviceName::Kind::Simulator)
    return Device(providedDriver("simulator", parsed.target), 0, std::string(name));
  return Device(cudaDriver(), parsed.ordinal, std::string(name));
}

ContextScope::ContextScope(const Device &device) noexcept
    : driver_(device.driver()), pushed_(driver_.cuCtxPushCurrent_v2(device.context()) == CUDA_SUCCESS) {}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) driver_.cuCtxPopCurrent_v2(&popped);
}

} // namespace mxc
