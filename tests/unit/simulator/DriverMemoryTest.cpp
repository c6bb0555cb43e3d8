#include "tests/unit/simulator/DriverSession.h"

#include <cstring>
#include <numeric>

using namespace mxc::sim;

static std::vector<uint8_t> contents(CUdeviceptr address, size_t bytes) {
  std::vector<uint8_t> result(bytes);
  CHECK(api::cuMemcpyDtoH_v2(result.data(), address, bytes) == CUDA_SUCCESS);
  return result;
}

TEST_CASE("copies stay inside of allocations", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr a = session.allocate(100), b = session.allocate(100);
  uint8_t bytes[200] = {1, 2, 3};
  CHECK(api::cuMemcpyHtoD_v2(a, bytes, 100) == CUDA_SUCCESS);
  CHECK(api::cuMemcpyHtoD_v2(a, bytes, 101) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemcpyHtoD_v2(a + 50, bytes, 51) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemcpyDtoH_v2(bytes, a - 1, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(bytes), bytes, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemcpyHtoD_v2(a, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemcpyDtoD_v2(b, a, 100) == CUDA_SUCCESS);
  CHECK(contents(b, 3) == std::vector<uint8_t>{1, 2, 3});
  CHECK(api::cuMemcpy(reinterpret_cast<CUdeviceptr>(bytes), b + 1, 2) == CUDA_SUCCESS);
  CHECK((bytes[0] == 2 && bytes[1] == 3));
  CHECK(api::cuMemFree_v2(a + 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemFree_v2(a) == CUDA_SUCCESS);
  CHECK(api::cuMemFree_v2(a) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemFree_v2(0) == CUDA_SUCCESS);
}

TEST_CASE("memory is copied between two chips", "[simulator][driver]") {
  DriverSession hopper("sm_90a");
  CUdeviceptr from = hopper.allocate(16);
  REQUIRE(api::cuMemsetD8_v2(from, 9, 16) == CUDA_SUCCESS);
  DriverSession blackwell("sm_100a");
  CUdeviceptr to = blackwell.allocate(16);
  CHECK(api::cuMemcpyPeer(to, blackwell.context, from, hopper.context, 16) == CUDA_SUCCESS);
  CHECK(contents(to, 16) == std::vector<uint8_t>(16, 9));
}

TEST_CASE("fills write values of 8, 16 and 32 bits, in rows too", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr a = session.allocate(64);
  CHECK(api::cuMemsetD8_v2(a, 0, 64) == CUDA_SUCCESS);
  CHECK(api::cuMemsetD16_v2(a, 0x1122, 2) == CUDA_SUCCESS);
  CHECK(api::cuMemsetD32_v2(a + 4, 0xAABBCCDD, 1) == CUDA_SUCCESS);
  CHECK(contents(a, 9) == std::vector<uint8_t>{0x22, 0x11, 0x22, 0x11, 0xDD, 0xCC, 0xBB, 0xAA, 0});
  CHECK(api::cuMemsetD32_v2(a + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemsetD2D8_v2(a, 16, 7, 2, 4) == CUDA_SUCCESS);
  std::vector<uint8_t> bytes = contents(a, 64);
  CHECK((bytes[48] == 7 && bytes[49] == 7 && bytes[50] == 0 &&
         std::accumulate(bytes.begin() + 16, bytes.end(), 0) == 42));
  CHECK(api::cuMemsetD2D8_v2(a, 16, 7, 17, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemsetD2D8_v2(a, 32, 7, 2, 3) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a rectangle is copied row by row", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr a = 0;
  size_t pitch = 0;
  REQUIRE(api::cuMemAllocPitch_v2(&a, &pitch, 10, 3, 4) == CUDA_SUCCESS);
  CHECK((pitch >= 10 && pitch % 512 == 0));
  uint8_t host[30];
  std::iota(host, host + 30, uint8_t(0));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host, copy.srcPitch = 10;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = a, copy.dstPitch = pitch;
  copy.WidthInBytes = 10, copy.Height = 3;
  CHECK(api::cuMemcpy2D_v2(&copy) == CUDA_SUCCESS);
  CHECK(contents(a + 2 * pitch, 10).front() == 20);
  copy.Height = 4;
  CHECK(api::cuMemcpy2D_v2(&copy) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("pointers tell what they point to", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr device = session.allocate(100), start = 0;
  void *host = nullptr;
  REQUIRE(api::cuMemHostAlloc(&host, 100, 0) == CUDA_SUCCESS);
  unsigned type = 0;
  size_t bytes = 0;
  CHECK(api::cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 5) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CHECK(api::cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(host)) ==
        CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_HOST);
  CHECK(api::cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(&type)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuMemGetAddressRange_v2(&start, &bytes, device + 99) == CUDA_SUCCESS);
  CHECK((start == device && bytes == 100));
  std::memset(host, 3, 100); // as any memory of the host's
  CUdeviceptr mapped = 0;
  CHECK(api::cuMemHostGetDevicePointer_v2(&mapped, host, 0) == CUDA_SUCCESS);
  CHECK(contents(mapped, 1).front() == 3);
  CHECK(api::cuMemFree_v2(mapped) == CUDA_ERROR_INVALID_VALUE); // cuMemFreeHost's
  CHECK(api::cuMemFreeHost(host) == CUDA_SUCCESS);
}

TEST_CASE("the host's own memory can be registered, once", "[simulator][driver]") {
  DriverSession session;
  std::vector<uint8_t> memory(4096);
  CHECK(api::cuMemHostRegister_v2(memory.data(), memory.size(), 0) == CUDA_SUCCESS);
  CHECK(api::cuMemHostRegister_v2(&memory[10], 10, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr mapped = 0;
  CHECK(api::cuMemHostGetDevicePointer_v2(&mapped, memory.data(), 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(api::cuMemHostUnregister(memory.data()) == CUDA_SUCCESS);
  CHECK(api::cuMemHostUnregister(memory.data()) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}
