// Made-up and stale handles: an error, never a crash.
#include "tests/unit/simulator/DriverSession.h"

#include <thread>

using namespace mxc::sim;

template <class Handle> static std::vector<Handle> garbage() {
  static uint64_t bytes[16];
  return {nullptr, reinterpret_cast<Handle>(0x1234), reinterpret_cast<Handle>(bytes),
          reinterpret_cast<Handle>(~0ull)};
}

TEST_CASE("garbage handles are refused", "[simulator][driver]") {
  DriverSession session;
  int value = 0;
  float time = 0;
  for (auto handle : garbage<CUmodule>()) {
    CUfunction function;
    CHECK(api::cuModuleGetFunction(&function, handle, "k") == CUDA_ERROR_INVALID_HANDLE);
    CHECK(api::cuModuleUnload(handle) == CUDA_ERROR_INVALID_HANDLE);
  }
  for (auto handle : garbage<CUfunction>()) {
    CHECK(api::cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, handle) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(api::cuLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) ==
          CUDA_ERROR_INVALID_HANDLE);
  }
  for (auto handle : garbage<CUevent>()) {
    CHECK(api::cuEventRecord(handle, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(api::cuEventElapsedTime(&time, handle, handle) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(api::cuEventDestroy_v2(handle) == CUDA_ERROR_INVALID_HANDLE);
  }
  for (auto handle : garbage<CUstream>()) {
    if (handle) CHECK(api::cuStreamSynchronize(handle) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(api::cuStreamDestroy_v2(handle) == CUDA_ERROR_INVALID_HANDLE);
  }
  for (auto handle : garbage<CUgraphExec>())
    CHECK(api::cuGraphLaunch(handle, nullptr) == CUDA_ERROR_INVALID_VALUE);
  for (auto handle : garbage<CUlibrary>())
    CHECK(api::cuLibraryUnload(handle) == CUDA_ERROR_INVALID_HANDLE);
  for (auto handle : garbage<CUcontext>()) {
    if (handle) CHECK(api::cuCtxSetCurrent(handle) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(api::cuCtxPushCurrent_v2(handle) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(api::cuCtxDestroy_v2(handle) == CUDA_ERROR_INVALID_CONTEXT);
  }
  CHECK(api::cuCtxSynchronize() == CUDA_SUCCESS);
}

TEST_CASE("a destroyed handle is one no more", "[simulator][driver]") {
  DriverSession session;
  CUstream stream;
  REQUIRE(api::cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  CHECK(api::cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  CHECK(api::cuStreamDestroy_v2(stream) == CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = session.load(kAddOne);
  CUfunction function = session.function(module, "add_one");
  CHECK(api::cuModuleUnload(module) == CUDA_SUCCESS);
  int value;
  CHECK(api::cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("calls need a context, and know a destroyed one", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr address;
  std::thread([&] { CHECK(api::cuMemAlloc_v2(&address, 16) == CUDA_ERROR_INVALID_CONTEXT); }).join();

  CUcontext context = nullptr, current = nullptr;
  REQUIRE(api::cuCtxCreate_v2(&context, 0, session.device) == CUDA_SUCCESS);
  CHECK((api::cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context));
  CHECK(api::cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  std::thread([&] { CHECK(api::cuCtxDestroy_v2(context) == CUDA_SUCCESS); }).join();
  CHECK(api::cuMemFree_v2(address) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(api::cuCtxPopCurrent_v2(nullptr) == CUDA_SUCCESS);
  CHECK(api::cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE); // went with its context
}

TEST_CASE("what the primary context owned goes with its last release", "[simulator][driver]") {
  CUdeviceptr address;
  {
    DriverSession session("sm_103a");
    address = session.allocate(16);
    DriverSession second("sm_103a");
    CHECK(api::cuMemsetD8_v2(address, 1, 16) == CUDA_SUCCESS);
  }
  DriverSession session("sm_103a");
  CHECK(api::cuMemsetD8_v2(address, 1, 16) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a thread's last objects may call the driver", "[simulator][driver]") {
  struct Late {
    CUresult *result;
    CUcontext *context;
    ~Late() { *result = api::cuCtxGetCurrent(context); }
  };
  DriverSession session;
  CUresult result = CUDA_ERROR_UNKNOWN;
  CUcontext context = nullptr;
  std::thread([&] {
    thread_local Late late{&result, &context};
    (void)&late; // constructed before the driver's own, so it goes after it
    CHECK(api::cuCtxSetCurrent(session.context) == CUDA_SUCCESS);
  }).join();
  CHECK(result == CUDA_SUCCESS);
  CHECK(context == session.context);
}
