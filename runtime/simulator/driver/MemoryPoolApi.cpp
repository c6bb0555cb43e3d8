// Memory that is allocated in a stream's order, and the pools of it, which are a device's and belong to no
// context.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim::api {

using ContextPointer = std::shared_ptr<Context>;

static std::shared_ptr<MemoryPool> poolOf(CUmemoryPool handle) {
  std::shared_ptr<MemoryPool> pool = Simulator::instance().memoryPools.find(handle);
  require(pool != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return pool;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  return started([&] {
    require(pool && poolProps && poolProps->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    require(poolProps->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require(poolProps->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED);
    SimulatedDevice &device = Simulator::instance().device(poolProps->location.id);
    *pool = Simulator::instance().memoryPools.add(std::make_shared<MemoryPool>(device));
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return started(
      [&] { require(Simulator::instance().memoryPools.remove(pool) != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}

/// Calls what(the attribute's number, whether it is of 64 bits) under the pool's lock.
template <class Function>
static CUresult withAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value,
                              Function what) {
  return started([&] {
    std::shared_ptr<MemoryPool> pool = poolOf(handle);
    std::lock_guard lock(pool->mutex);
    auto found = pool->attributes.find(attribute);
    require(value && found != pool->attributes.end());
    what(found->second, attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return withAttribute(pool, attr, value, [&](uint64_t &number, bool is64Bits) {
    number = is64Bits ? *static_cast<cuuint64_t *>(value) : static_cast<uint64_t>(*static_cast<int *>(value));
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return withAttribute(pool, attr, value, [&](uint64_t &number, bool is64Bits) {
    is64Bits ? void(*static_cast<cuuint64_t *>(value) = number)
             : void(*static_cast<int *>(value) = static_cast<int>(number));
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return started([&] { poolOf(pool); });
}

static void allocate(CUdeviceptr *address, size_t bytes, SimulatedDevice &device,
                     const ContextPointer &context, CUstream stream) {
  require(address != nullptr);
  require(!Simulator::instance().stream(context, stream)->capture.get(),
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  *address = device.allocations().allocate(AllocationRecord::Kind::Device, bytes, context);
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  return inContextAsync(
      [&](const ContextPointer &context) { allocate(dptr, bytesize, context->device, context, hStream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  return inContextAsync([&](const ContextPointer &context) {
    allocate(dptr, bytesize, poolOf(pool)->device, context, hStream);
  });
}

} // namespace mxc::sim::api
