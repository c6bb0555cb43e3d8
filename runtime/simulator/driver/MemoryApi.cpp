// Device and managed memory.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim::api {

using ContextPointer = std::shared_ptr<Context>;
using Kind = AllocationRecord::Kind;

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return inContext([&](const ContextPointer &context) {
    const GlobalMemory &memory = context->device.memory();
    if (free) *free = memory.capacity() - memory.allocatedBytes();
    if (total) *total = memory.capacity();
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  return inContext([&](const ContextPointer &context) {
    require(dptr != nullptr);
    *dptr = context->device.allocations().allocate(Kind::Device, bytesize, context);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned ElementSizeBytes) {
  return inContext([&](const ContextPointer &context) {
    require(dptr && pPitch && WidthInBytes && Height);
    require(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
    constexpr size_t kPitchAlignment = 512;
    uint64_t capacity = context->device.memory().capacity();
    require(WidthInBytes <= capacity && Height <= capacity / WidthInBytes, CUDA_ERROR_OUT_OF_MEMORY);
    *pPitch = (WidthInBytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    *dptr = context->device.allocations().allocate(Kind::Device, *pPitch * Height, context);
  });
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned flags) {
  return inContext([&](const ContextPointer &context) {
    require(dptr && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
    *dptr = context->device.allocations().allocate(Kind::Managed, bytesize, context, flags);
  });
}

/// Releases memory of any device, as the one address space has it.
static void release(CUdeviceptr address) {
  SimulatedDevice *device = Simulator::instance().deviceReserving(address);
  require(device != nullptr);
  auto lock = device->exclusiveMemory();
  require(device->allocations().release(address, false));
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return inContext([&](const ContextPointer &) {
    if (dptr) release(dptr);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    require(!Simulator::instance().stream(context, hStream)->capture.get(),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    release(dptr);
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  return inContext([&](const ContextPointer &) {
    SimulatedDevice *device = Simulator::instance().deviceReserving(dptr);
    const Allocation *allocation = device ? device->memory().find(dptr, 1) : nullptr;
    require(allocation != nullptr, CUDA_ERROR_NOT_FOUND);
    if (pbase) *pbase = allocation->address;
    if (psize) *psize = allocation->bytes;
  });
}

// Managed memory is where it is; where the caller wants it makes no difference.
static CUresult advise(CUdeviceptr address, size_t bytes) {
  return inContextAsync([&](const ContextPointer &) {
    SimulatedDevice *device = Simulator::instance().deviceReserving(address);
    require(device && bytes > 0 &&
            device->memory().find(address, bytes)); // a .managed variable has no record
    auto record = device->allocations().holding(address);
    require(!record || record->kind == Kind::Managed);
  });
}
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise, CUdevice) {
  return advise(devPtr, count);
}
CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise, CUmemLocation) {
  return advise(devPtr, count);
}
CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice, CUstream) {
  return advise(devPtr, count);
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation, unsigned, CUstream) {
  return advise(devPtr, count);
}

} // namespace mxc::sim::api
