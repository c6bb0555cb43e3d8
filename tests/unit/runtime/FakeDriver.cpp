#include "tests/unit/runtime/FakeDriver.h"

#include "compiler/abi/CompiledKernel.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

static FakeDriverState &state() { return *fakeDriverState(); }
extern "C" FakeDriverState *fakeDriverState() {
  static FakeDriverState state;
  return &state;
}

// Every function first asks whether a test wants it to fail; most need a current context, as the real ones
// do.
#define FAIL_IF_TOLD()                                                                                       \
  if (state().failing == __func__) return state().failure
#define NEED_CURRENT()                                                                                       \
  FAIL_IF_TOLD();                                                                                            \
  if (state().contextDepth == 0) return CUDA_ERROR_INVALID_CONTEXT
#define NEED_CONTEXT()                                                                                       \
  NEED_CURRENT();                                                                                            \
  if (state().fault != CUDA_SUCCESS) return state().fault

static char theContext, theModule;
static std::set<std::string> functionNames; // a function's handle is its name's address

struct Capture {
  std::vector<std::function<void()>> work;
};
static Capture *capture = nullptr;
static thread_local CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static CUresult enqueue(std::function<void()> work) {
  if (capture)
    capture->work.push_back(std::move(work));
  else
    work();
  return CUDA_SUCCESS;
}

static bool isInside(uint64_t address, size_t bytes) {
  auto after = state().allocations.upper_bound(address);
  if (after == state().allocations.begin()) return false;
  auto [start, size] = *std::prev(after);
  return bytes <= size && address - start <= size - bytes;
}

static CUresult copy(void *to, const void *from, size_t bytes, bool isKnown) {
  if (!isKnown) return CUDA_ERROR_INVALID_VALUE;
  return enqueue([=] { std::memcpy(to, from, bytes); });
}
// A copy from pageable memory returns before its end has arrived.
static thread_local std::vector<std::function<void()>> underWay;
static void arrive() {
  for (const auto &write : std::exchange(underWay, {}))
    write();
}
static void *host(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

extern "C" CUresult CUDAAPI cuInit(unsigned) {
  FAIL_IF_TOLD();
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDriverGetVersion(int *version) {
  FAIL_IF_TOLD();
  *version = 13000;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name) {
  FAIL_IF_TOLD();
  *name = error == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text) {
  FAIL_IF_TOLD();
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "a fake error";
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDeviceGetCount(int *count) {
  FAIL_IF_TOLD();
  *count = state().deviceCount;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  FAIL_IF_TOLD();
  *device = ordinal;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice) {
  FAIL_IF_TOLD();
  std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  FAIL_IF_TOLD();
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state().major;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state().minor;
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = 49152;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 232448;
    break;
  default:
    *value = 1024;
  }
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  FAIL_IF_TOLD();
  *bytes = size_t(1) << 37;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  FAIL_IF_TOLD();
  *context = reinterpret_cast<CUcontext>(&theContext);
  ++state().retained;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice) {
  FAIL_IF_TOLD();
  --state().retained;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  FAIL_IF_TOLD();
  state().contextDepth = context != nullptr;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext) {
  FAIL_IF_TOLD();
  ++state().contextDepth;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *context) {
  FAIL_IF_TOLD();
  *context = reinterpret_cast<CUcontext>(&theContext);
  --state().contextDepth;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuCtxSynchronize() {
  NEED_CONTEXT();
  if (capture) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  arrive();
  return CUDA_SUCCESS;
}

/// Bytes of a cubin whose last part is its table of segments, as ptxas writes them, or of PTX text.
static size_t bytesOf(const char *image) {
  if (std::strncmp(image,
                   "\x7f"
                   "ELF",
                   4) != 0)
    return std::strlen(image);
  uint64_t segments;
  uint16_t count;
  std::memcpy(&segments, image + 32, 8), std::memcpy(&count, image + 56, 2);
  return segments + count * 56u;
}

/// Where no test says what an entry takes: what the record of the latest image that has one says.
static std::vector<mxc::ModuleAbi> records;
static std::vector<size_t> recordedSizes(const std::string &entry) {
  for (const mxc::ModuleAbi &abi : records)
    for (const mxc::KernelAbi &kernel : abi.kernels)
      for (const mxc::AbiVariant &variant : kernel.variants) {
        const mxc::AbiLaunch *launch = nullptr;
        variant.forEachLaunch([&](const mxc::AbiLaunch &each) {
          if (each.entry == entry) launch = &each;
        });
        if (!launch) continue;
        std::vector<size_t> sizes;
        for (const mxc::AbiParameter &parameter : launch->parameters)
          sizes.push_back(parameter.kind == mxc::AbiParameter::Kind::TensorMap ? 128 : 8);
        return sizes;
      }
  return {};
}

extern "C" CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned options,
                                               CUjit_option *option, void **values) {
  for (unsigned i = 0; i < options; ++i)
    if (option[i] == CU_JIT_ERROR_LOG_BUFFER)
      std::strcpy(static_cast<char *>(values[i]), state().log.c_str());
  if (state().failing == "cuModuleLoadDataEx") return state().failure;
  if (state().contextDepth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (capture && captureMode != CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  state().image = static_cast<const char *>(image);
  auto held =
      mxc::abiFromImage({static_cast<const char *>(image), bytesOf(static_cast<const char *>(image))});
  records.insert(records.begin(), held.begin(), held.end());
  *module = reinterpret_cast<CUmodule>(&theModule);
  ++state().modules;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuModuleUnload(CUmodule) {
  NEED_CURRENT();
  --state().modules;
  return state().fault;
}
extern "C" CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  NEED_CONTEXT();
  if (capture && captureMode != CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  *function = reinterpret_cast<CUfunction>(const_cast<std::string *>(&*functionNames.insert(name).first));
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *) {
  NEED_CONTEXT();
  return CUDA_ERROR_NOT_FOUND;
}
static std::string nameOf(CUfunction function) { return *reinterpret_cast<const std::string *>(function); }
extern "C" CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                               CUfunction function) {
  NEED_CONTEXT();
  *value = state().attributes[{nameOf(function), attribute}];
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                               int value) {
  NEED_CONTEXT();
  state().attributes[{nameOf(function), attribute}] = value;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                               size_t *bytes) {
  NEED_CONTEXT();
  std::vector<size_t> sizes = state().parameterSizes;
  if (sizes.empty()) sizes = recordedSizes(nameOf(function));
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = std::accumulate(sizes.begin(), sizes.begin() + long(index), size_t(0));
  *bytes = sizes[index];
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction, int,
                                                                        size_t) {
  NEED_CONTEXT();
  *blocks = 1;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *clusters, CUfunction, const CUlaunchConfig *) {
  NEED_CONTEXT();
  *clusters = 1;
  return CUDA_SUCCESS;
}

extern "C" CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  NEED_CONTEXT();
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > size_t(1) << 32) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  state().allocations[*address] = bytes;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
  NEED_CURRENT();
  arrive();
  if (!state().allocations.erase(address)) return CUDA_ERROR_INVALID_VALUE;
  std::free(host(address));
  return state().fault;
}
extern "C" CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *) {
  FAIL_IF_TOLD();
  *pool = reinterpret_cast<CUmemoryPool>(&state());
  ++state().pools;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool) {
  --state().pools;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute attribute, void *value) {
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) state().poolKeeps = *static_cast<cuuint64_t *>(value);
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool, size_t) {
  FAIL_IF_TOLD();
  ++state().trims;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool,
                                                    CUstream) {
  FAIL_IF_TOLD();
  ++state().streamOrdered;
  return cuMemAlloc_v2(address, bytes);
}
extern "C" CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream) { return cuMemFree_v2(address); }
extern "C" CUresult CUDAAPI cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  NEED_CONTEXT();
  *freeBytes = *totalBytes = size_t(1) << 37;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  NEED_CONTEXT();
  arrive();
  if (capture || bytes == 0) return copy(host(to), from, bytes, isInside(to, bytes));
  const auto *source = static_cast<const uint8_t *>(from);
  CUresult result = copy(host(to), from, bytes - 1, isInside(to, bytes));
  if (result == CUDA_SUCCESS)
    underWay.push_back(
        [to, bytes, last = source[bytes - 1]] { static_cast<uint8_t *>(host(to))[bytes - 1] = last; });
  return result;
}
extern "C" CUresult CUDAAPI cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  NEED_CONTEXT();
  arrive();
  return copy(to, host(from), bytes, isInside(from, bytes));
}
extern "C" CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  NEED_CONTEXT();
  return copy(host(to), host(from), bytes, isInside(to, bytes) && isInside(from, bytes));
}
static CUresult fill(CUdeviceptr address, unsigned char value, size_t bytes) {
  if (!isInside(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return enqueue([=] { std::memset(host(address), value, bytes); });
}
extern "C" CUresult CUDAAPI cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t bytes) {
  NEED_CONTEXT();
  return fill(address, value, bytes);
}
extern "C" CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes,
                                            CUstream) {
  NEED_CONTEXT();
  return fill(address, value, bytes);
}

extern "C" CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned) {
  NEED_CONTEXT();
  *stream = reinterpret_cast<CUstream>(new char);
  ++state().streams;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream) {
  NEED_CURRENT();
  delete reinterpret_cast<char *>(stream);
  --state().streams;
  return state().fault;
}
extern "C" CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  NEED_CONTEXT();
  if (!stream) arrive();
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamQuery(CUstream) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}
struct FakeEvent {
  bool isRecorded = false;
  double micros = 0;
};
extern "C" CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned) {
  NEED_CONTEXT();
  *event = reinterpret_cast<CUevent>(new FakeEvent);
  ++state().events;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuEventRecord(CUevent event, CUstream) {
  NEED_CONTEXT();
  *reinterpret_cast<FakeEvent *>(event) = {true, state().clockMicros};
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuEventSynchronize(CUevent) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  NEED_CONTEXT();
  const FakeEvent &from = *reinterpret_cast<FakeEvent *>(start), &to = *reinterpret_cast<FakeEvent *>(end);
  if (!from.isRecorded || !to.isRecorded) return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>((to.micros - from.micros) / 1000);
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuEventDestroy_v2(CUevent event) {
  NEED_CURRENT();
  delete reinterpret_cast<FakeEvent *>(event);
  --state().events;
  return state().fault;
}

extern "C" CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                             void **parameters, void **) {
  NEED_CONTEXT();
  FakeLaunch launch{nameOf(function), *config, {}, {}};
  launch.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  for (size_t i = 0; i < state().parameterSizes.size(); ++i) {
    const uint8_t *bytes = static_cast<const uint8_t *>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + state().parameterSizes[i]);
  }
  return enqueue([launch] {
    state().launches.push_back(launch);
    if (auto cost = state().launchMicros.find(launch.entry); cost != state().launchMicros.end())
      state().clockMicros += cost->second;
    if (auto faulty = state().faultyLaunch.find(launch.entry);
        faulty != state().faultyLaunch.end() && --faulty->second == 0)
      state().fault = CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}
extern "C" CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *sizes,
    const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *elementStrides, CUtensorMapInterleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  NEED_CONTEXT();
  if (rank < 1 || rank > 5 || reinterpret_cast<uintptr_t>(map) % alignof(CUtensorMap))
    return CUDA_ERROR_INVALID_VALUE;
  FakeTensorMap seen{type,      rank, reinterpret_cast<uint64_t>(address), {}, {}, {}, {}, swizzle,
                     promotion, fill};
  for (cuuint32_t i = 0; i < rank; ++i) {
    seen.sizes[i] = sizes[i], seen.box[i] = box[i], seen.elementStrides[i] = elementStrides[i];
    if (i + 1 == rank) break;
    if (strides[i] % 16) return CUDA_ERROR_INVALID_VALUE;
    seen.strides[i] = strides[i];
  }
  state().tensorMaps.push_back(seen);
  std::memset(map, 0xAB, sizeof *map);
  return CUDA_SUCCESS;
}

extern "C" CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(*mode, captureMode);
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  NEED_CONTEXT();
  capture = new Capture;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *status) {
  NEED_CONTEXT();
  *status = capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuStreamEndCapture(CUstream, CUgraph *graph) {
  NEED_CONTEXT();
  *graph = reinterpret_cast<CUgraph>(std::exchange(capture, nullptr));
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                                        unsigned long long) {
  NEED_CONTEXT();
  *executable = reinterpret_cast<CUgraphExec>(new Capture(*reinterpret_cast<Capture *>(graph)));
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuGraphLaunch(CUgraphExec executable, CUstream) {
  NEED_CONTEXT();
  for (const auto &work : reinterpret_cast<Capture *>(executable)->work)
    work();
  return CUDA_SUCCESS;
}
extern "C" CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec executable) {
  NEED_CURRENT();
  delete reinterpret_cast<Capture *>(executable);
  return state().fault;
}
extern "C" CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  NEED_CURRENT();
  delete reinterpret_cast<Capture *>(graph);
  return state().fault;
}
