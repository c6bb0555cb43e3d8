// The simulator's libcudart: what nvcc's host code does at the start and for a <<<>>>, then the functions of
// programs.
#include <cuda_runtime_api.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

/// Programs free device memory when static objects go, which is after the end of the main thread's own
/// objects.
struct FreedAtExit {
  void *memory = nullptr;
  ~FreedAtExit() {
    if (memory && cudaFree(memory) != cudaSuccess) std::_Exit(1);
  }
} freedAtExit;

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **image, const char *host, char *, const char *name, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **image, char *host, char *, const char *name, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
}

namespace {

/// data[i] += step
const char kText[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 step = 3;
.visible .entry add(.param .u64 data, .param .u32 count) {
.reg .b32 %r<8>; .reg .b64 %d; .reg .pred %p;
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
mad.lo.u32 %r0, %r0, %r1, %r2;
ld.param.u32 %r3, [count]; setp.ge.u32 %p, %r0, %r3; @%p ret;
ld.param.u64 %d, [data]; mad.wide.u32 %d, %r0, 4, %d;
ld.global.u32 %r4, [%d]; ld.global.u32 %r5, [step]; add.u32 %r4, %r4, %r5; st.global.u32 [%d], %r4;
ret; }
)";

struct Wrapper {
  int magic, version;
  const void *data;
  void *file;
} wrapper{0x466243b1, 1, kText, nullptr};

char add, step; // the host's names: their addresses

void registerOnce() {
  static void **image = nullptr;
  if (image) return;
  image = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(image, &add, &add, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(image, &step, &step, "step", 0, 4, 0, 0);
}

struct Numbers {
  std::vector<uint32_t> host = std::vector<uint32_t>(100);
  void *device = nullptr;
  Numbers() {
    std::iota(host.begin(), host.end(), 0u);
    REQUIRE(cudaMalloc(&device, 400) == cudaSuccess);
    REQUIRE(cudaMemcpy(device, host.data(), 400, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~Numbers() { cudaFree(device); }
  void expectAdded(uint32_t sum) {
    std::vector<uint32_t> found(100);
    REQUIRE(cudaMemcpy(found.data(), device, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (uint32_t i = 0; i < 100; ++i)
      REQUIRE(found[i] == i + sum);
  }
};

} // namespace

TEST_CASE("a registered kernel is launched by its host function and by its handle") {
  registerOnce();
  Numbers numbers;
  uint32_t count = 100;
  void *arguments[] = {&numbers.device, &count};
  REQUIRE(__cudaPushCallConfiguration(dim3(4), dim3(32), 0, nullptr) == 0);
  dim3 grid, block;
  size_t sharedBytes = 1;
  cudaStream_t stream;
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &stream) == cudaSuccess);
  CHECK((grid.x == 4 && block.x == 32 && sharedBytes == 0 && stream == nullptr));
  CHECK(cudaLaunchKernel(&add, grid, block, arguments, 0, nullptr) == cudaSuccess);
  numbers.expectAdded(3);
  cudaKernel_t kernel;
  REQUIRE(__cudaGetKernel(&kernel, &add) == cudaSuccess);
  CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(4), dim3(32), arguments, 0, nullptr) ==
        cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  numbers.expectAdded(6);
}

TEST_CASE("variables by their host names") {
  registerOnce();
  uint32_t value = 0, other = 5;
  CHECK(cudaMemcpyFromSymbol(&value, &step, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 3);
  CHECK(cudaMemcpyToSymbol(&step, &other, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(&value, &step, 4, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 5);
  CHECK(cudaMemcpyFromSymbol(&value, &step, 4, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  other = 3;
  CHECK(cudaMemcpyToSymbol(&step, &other, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(&value, &add, 4, 0, cudaMemcpyDeviceToHost) == cudaErrorInvalidSymbol);
  CHECK(cudaGetLastError() == cudaErrorInvalidSymbol);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("properties, attributes, entry points, errors") {
  registerOnce();
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK((properties.major >= 9 && properties.warpSize == 32 && properties.multiProcessorCount > 0));
  CHECK(properties.sharedMemPerBlockOptin > properties.sharedMemPerBlock);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, &add) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 1024);
  CHECK(cudaFuncSetAttribute(&add, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) == cudaSuccess);
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, 0, &found) ==
        cudaSuccess);
  CHECK((function && found == cudaDriverEntryPointSuccess));
  CHECK(cudaLaunchKernel("nothing of ours", dim3(1), dim3(1), nullptr, 0, nullptr) ==
        cudaErrorInvalidDeviceFunction);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  CHECK(std::strlen(cudaGetErrorString(cudaErrorMemoryAllocation)) > 0);
  CHECK(cudaGetErrorString(cudaErrorInvalidDeviceFunction) == std::string("invalid device function"));
  CHECK(cudaGetErrorName(cudaErrorInvalidSymbol) == std::string("cudaErrorInvalidSymbol"));
}

TEST_CASE("a captured launch runs when its graph does") {
  registerOnce();
  Numbers numbers;
  uint32_t count = 100;
  void *arguments[] = {&numbers.device, &count};
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(cudaLaunchKernel(&add, dim3(4), dim3(32), arguments, 0, stream) == cudaSuccess);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  numbers.expectAdded(6);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("after a fault, a kernel that host code has no handle for yet fails with the fault") {
  registerOnce();
  uint32_t count = 1;
  char *unmapped = nullptr;
  void *arguments[] = {&unmapped, &count};
  CHECK(cudaLaunchKernel(&add, dim3(1), dim3(32), arguments, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  // What nvcc's host code does: __cudaGetKernel fails, and its handle stays null.
  CHECK(cudaLaunchKernel(nullptr, dim3(1), dim3(32), arguments, 0, nullptr) == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("memory may be freed when the program ends", "[cudart]") {
  REQUIRE(cudaMalloc(&freedAtExit.memory, 4096) == cudaSuccess);
}
