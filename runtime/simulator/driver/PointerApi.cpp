// What a pointer points to.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/RegisteredRange.h"

#include <cstring>

namespace mxc::sim {

using Kind = AllocationRecord::Kind;

namespace {
/// Memory of ours, or (record without a context) what the host registered.
struct Pointee {
  CUdeviceptr pointer = 0;
  SimulatedDevice *device = nullptr;
  AllocationRecord record;
};
} // namespace

static std::optional<Pointee> pointeeOf(CUdeviceptr pointer) {
  Simulator &simulator = Simulator::instance();
  if (SimulatedDevice *device = simulator.deviceReserving(pointer)) {
    if (auto record = device->allocations().holding(pointer)) return Pointee{pointer, device, *record};
    const Allocation *variable = device->memory().find(pointer, 1); // of a module
    if (!variable) return std::nullopt;
    return Pointee{pointer, device, {Kind::Device, variable->address, variable->bytes, 0, 0, nullptr}};
  }
  auto range = registeredRange(reinterpret_cast<void *>(pointer));
  if (!range) return std::nullopt;
  return Pointee{pointer, nullptr, {Kind::Host, range->address, range->bytes, 0, range->flags, nullptr}};
}

template <class Value> static CUresult give(void *to, Value value) {
  std::memcpy(to, &value, sizeof value);
  return CUDA_SUCCESS;
}

static CUresult attribute(void *data, CUpointer_attribute id, const Pointee &pointee) {
  const AllocationRecord &record = pointee.record;
  bool isOfDevice = pointee.device != nullptr;
  switch (id) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return give(data, record.context ? record.context->handle
                      : isOfDevice   ? pointee.device->primary->handle
                                     : nullptr);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return give<unsigned>(data, record.kind == Kind::Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return isOfDevice ? give<CUdeviceptr>(data, pointee.pointer) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return record.kind == Kind::Device ? CUDA_ERROR_INVALID_VALUE : give<CUdeviceptr>(data, pointee.pointer);
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return give<int>(data, 1); // they always are
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return give<unsigned long long>(data, record.id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return give<unsigned>(data, record.kind == Kind::Managed);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return give<int>(data, isOfDevice ? pointee.device->ordinal() : 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return give<CUdeviceptr>(data, record.address);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return give<size_t>(data, record.bytes);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return give<unsigned>(data, isOfDevice);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    return give<unsigned>(data, 0);
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult api::cuPointerGetAttribute(void *data, CUpointer_attribute id, CUdeviceptr ptr) {
  return started([&] {
    require(data != nullptr);
    auto pointee = pointeeOf(ptr);
    require(pointee.has_value()); // a pointer that CUDA never heard of
    return attribute(data, id, *pointee);
  });
}

// Here an unknown pointer is none of CUDA's business: zeros, and success.
CUresult api::cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                     CUdeviceptr ptr) {
  return started([&] {
    require(count && attributes && data);
    auto pointee = pointeeOf(ptr);
    for (unsigned i = 0; i < count; ++i) {
      require(data[i] != nullptr);
      if (pointee && attribute(data[i], attributes[i], *pointee) == CUDA_SUCCESS) continue;
      CUpointer_attribute id = attributes[i];
      if (id == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        give<int>(data[i], CU_DEVICE_INVALID);
      else if (id == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || id == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
               id == CU_POINTER_ATTRIBUTE_IS_MANAGED || id == CU_POINTER_ATTRIBUTE_MAPPED)
        give<unsigned>(data[i], 0);
      else
        give<uint64_t>(data[i], 0);
    }
  });
}

CUresult api::cuPointerSetAttribute(const void *value, CUpointer_attribute id, CUdeviceptr ptr) {
  return started([&] { require(value && id == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && pointeeOf(ptr)); });
}

} // namespace mxc::sim
