// Host memory that the device reaches: it lies in the simulated memory, which the host reaches anyway. Memory
// that the host allocated itself can be registered, for copies; kernels do not reach it.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/RegisteredRange.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;
using Kind = AllocationRecord::Kind;

static CUresult allocateHost(void **pointer, size_t bytes, unsigned flags) {
  return inContext([&](const ContextPointer &context) {
    require(pointer && (flags & ~7u) == 0);
    uint64_t address =
        context->device.allocations().allocate(Kind::Host, bytes, context, flags | CU_MEMHOSTALLOC_DEVICEMAP);
    *pointer = reinterpret_cast<void *>(address);
  });
}
CUresult api::cuMemAllocHost_v2(void **pp, size_t bytesize) { return allocateHost(pp, bytesize, 0); }
CUresult api::cuMemHostAlloc(void **pp, size_t bytesize, unsigned Flags) {
  return allocateHost(pp, bytesize, Flags);
}

CUresult api::cuMemFreeHost(void *p) {
  return inContext([&](const ContextPointer &) {
    uint64_t address = reinterpret_cast<uint64_t>(p);
    SimulatedDevice *device = Simulator::instance().deviceReserving(address);
    require(device != nullptr);
    auto lock = device->exclusiveMemory();
    require(device->allocations().release(address, true));
  });
}

static AllocationRecord hostRecord(const void *pointer) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  SimulatedDevice *device = Simulator::instance().deviceReserving(address);
  auto record = device ? device->allocations().holding(address) : std::nullopt;
  require(record && record->kind == Kind::Host);
  return *record;
}

CUresult api::cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned Flags) {
  return inContext([&](const ContextPointer &) {
    require(pdptr && Flags == 0);
    require(!registeredRange(p), CUDA_ERROR_NOT_SUPPORTED);
    hostRecord(p);
    *pdptr = reinterpret_cast<CUdeviceptr>(p);
  });
}

CUresult api::cuMemHostGetFlags(unsigned *pFlags, void *p) {
  return inContext([&](const ContextPointer &) {
    require(pFlags != nullptr);
    auto range = registeredRange(p);
    *pFlags = range ? range->flags : hostRecord(p).flags;
  });
}

static std::mutex rangesMutex;
static std::map<uint64_t, RegisteredRange> &ranges() {
  static auto *ranges = new std::map<uint64_t, RegisteredRange>;
  return *ranges;
}

static std::optional<RegisteredRange> overlapping(uint64_t address, uint64_t bytes) { // rangesMutex is held
  auto after = ranges().lower_bound(address + bytes);
  if (after == ranges().begin()) return std::nullopt;
  const RegisteredRange &range = std::prev(after)->second;
  if (range.address + range.bytes <= address) return std::nullopt;
  return range;
}

std::optional<RegisteredRange> registeredRange(const void *pointer) {
  std::lock_guard lock(rangesMutex);
  return overlapping(reinterpret_cast<uint64_t>(pointer), 1);
}

CUresult api::cuMemHostRegister_v2(void *p, size_t bytesize, unsigned Flags) {
  return inContext([&](const ContextPointer &) {
    uint64_t address = reinterpret_cast<uint64_t>(p);
    require(p && bytesize && address + bytesize > address);
    require(!(Flags & (CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY)),
            CUDA_ERROR_NOT_SUPPORTED);
    std::lock_guard lock(rangesMutex);
    require(!overlapping(address, bytesize), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    ranges()[address] = {address, bytesize, Flags};
  });
}

CUresult api::cuMemHostUnregister(void *p) {
  return inContext([&](const ContextPointer &) {
    std::lock_guard lock(rangesMutex);
    require(ranges().erase(reinterpret_cast<uint64_t>(p)) > 0, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  });
}

} // namespace mxc::sim
