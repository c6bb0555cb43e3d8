// Eight threads at once at the driver's face. What they would see is seldom wrong: ThreadSanitizer watches
// (tools/dev/sanitize).
#include "tests/unit/simulator/DriverSession.h"

#include <atomic>
#include <functional>
#include <thread>

using namespace mxc::sim;

static constexpr int kThreads = 8, kRounds = 50;

/// Runs `work` of a thread's number on each; true everywhere is expected. Catch2 knows one thread alone.
static int failuresOfThreads(const std::function<bool(int)> &work) {
  std::atomic<int> failures = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round)
        failures += !work(thread);
    });
  threads.clear();
  return failures;
}

/// With the context current on the calling thread.
static bool inContext(CUcontext context, const std::function<bool()> &work) {
  if (api::cuCtxPushCurrent_v2(context) != CUDA_SUCCESS) return false;
  const bool isDone = work();
  CUcontext popped = nullptr;
  return api::cuCtxPopCurrent_v2(&popped) == CUDA_SUCCESS && popped == context && isDone;
}

static bool done(std::initializer_list<CUresult> results) {
  for (CUresult result : results)
    if (result != CUDA_SUCCESS) return false;
  return true;
}

namespace {

/// Two arrays of 64 integers.
struct Arrays {
  Arrays() {
    isWell = done({api::cuMemAlloc_v2(&x, 256), api::cuMemAlloc_v2(&y, 256), api::cuMemsetD32_v2(x, 5, 64)});
  }
  ~Arrays() { api::cuMemFree_v2(x), api::cuMemFree_v2(y); }
  CUresult launch(CUfunction addOne, CUstream stream) {
    void *parameters[] = {&x, &y};
    return api::cuLaunchKernel(addOne, 2, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
  }
  bool areAdded() const {
    uint32_t values[64];
    if (api::cuMemcpyDtoH_v2(values, y, sizeof values) != CUDA_SUCCESS) return false;
    return std::all_of(values, values + 64, [](uint32_t value) { return value == 6; });
  }
  CUdeviceptr x = 0, y = 0;
  bool isWell;
};

} // namespace

TEST_CASE("threads: each its own memory, module, stream and events in one context", "[simulator][driver]") {
  DriverSession session;
  CHECK(0 == failuresOfThreads([&](int) {
          return inContext(session.context, [] {
            Arrays arrays;
            CUmodule module = nullptr;
            CUfunction function = nullptr;
            CUstream stream = nullptr;
            CUevent start = nullptr, end = nullptr;
            float milliseconds = -1;
            return arrays.isWell &&
                   done({api::cuModuleLoadData(&module, kAddOne),
                         api::cuModuleGetFunction(&function, module, "add_one"),
                         api::cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), api::cuEventCreate(&start, 0),
                         api::cuEventCreate(&end, 0), api::cuEventRecord(start, stream),
                         arrays.launch(function, stream), api::cuEventRecord(end, stream),
                         api::cuEventSynchronize(end), api::cuEventElapsedTime(&milliseconds, start, end)}) &&
                   arrays.areAdded() && milliseconds >= 0 &&
                   done({api::cuEventDestroy_v2(start), api::cuEventDestroy_v2(end),
                         api::cuStreamDestroy_v2(stream), api::cuModuleUnload(module)});
          });
        }));
}

TEST_CASE("threads: one module, stream, event and graph for all", "[simulator][driver]") {
  DriverSession session;
  const CUmodule module = session.load(kAddOne);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  REQUIRE(done({api::cuStreamCreate(&stream, 0), api::cuEventCreate(&event, 0)}));
  CHECK(0 == failuresOfThreads([&](int thread) {
          return inContext(session.context, [&] {
            Arrays arrays;
            CUfunction function = nullptr;
            int value = 0;
            return arrays.isWell &&
                   done({api::cuModuleGetFunction(&function, module, "add_one"),
                         api::cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 1024 * thread),
                         api::cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 function),
                         arrays.launch(function, stream), api::cuEventRecord(event, stream),
                         api::cuStreamWaitEvent(nullptr, event, 0), api::cuEventSynchronize(event),
                         api::cuStreamSynchronize(stream), api::cuCtxSynchronize()}) &&
                   arrays.areAdded();
          });
        }));
  CHECK(done({api::cuStreamDestroy_v2(stream), api::cuEventDestroy_v2(event)}));
}

TEST_CASE("threads: captures of their own streams, which wait for one another's events",
          "[simulator][driver]") {
  DriverSession session;
  const CUfunction function = session.function(session.load(kAddOne), "add_one");
  CHECK(0 == failuresOfThreads([&](int) {
          return inContext(session.context, [&] {
            Arrays arrays;
            CUstream stream = nullptr, second = nullptr;
            CUevent event = nullptr;
            CUgraph graph = nullptr;
            CUgraphExec executable = nullptr;
            return arrays.isWell &&
                   done({api::cuStreamCreate(&stream, 0), api::cuStreamCreate(&second, 0),
                         api::cuEventCreate(&event, 0),
                         api::cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                         api::cuEventRecord(event, stream), api::cuStreamWaitEvent(second, event, 0),
                         arrays.launch(function, second), api::cuStreamEndCapture(stream, &graph),
                         api::cuGraphInstantiateWithFlags(&executable, graph, 0),
                         api::cuGraphLaunch(executable, stream), api::cuStreamSynchronize(stream)}) &&
                   arrays.areAdded() &&
                   done({api::cuGraphExecDestroy(executable), api::cuGraphDestroy(graph),
                         api::cuEventDestroy_v2(event), api::cuStreamDestroy_v2(stream),
                         api::cuStreamDestroy_v2(second)});
          });
        }));
}

TEST_CASE("threads: a stream that all of them use while it captures now and then", "[simulator][driver]") {
  DriverSession session;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  REQUIRE(done({api::cuStreamCreate(&stream, 0), api::cuEventCreate(&event, 0)}));
  const CUdeviceptr memory = session.allocate(64);
  // What each call finds depends on the others, so its result does; none may fail otherwise.
  CHECK(0 == failuresOfThreads([&](int thread) {
          return inContext(session.context, [&] {
            CUgraph graph = nullptr;
            CUstreamCaptureStatus status;
            if (thread == 0) api::cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
            api::cuMemsetD8Async(memory, 1, 64, stream);
            api::cuEventRecord(event, stream);
            api::cuStreamWaitEvent(stream, event, 0);
            api::cuEventQuery(event);
            if (thread == 1) api::cuStreamSynchronize(stream); // which ruins a capture
            if (thread == 0 && api::cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS)
              api::cuGraphDestroy(graph);
            return api::cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS;
          });
        }));
  CUgraph graph = nullptr;
  if (api::cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS) api::cuGraphDestroy(graph);
  CHECK(done({api::cuStreamDestroy_v2(stream), api::cuEventDestroy_v2(event)}));
}

TEST_CASE("threads: contexts made, ruined and destroyed beside one that goes on", "[simulator][driver]") {
  DriverSession session;
  const CUfunction function = session.function(session.load(kAddOne), "add_one");
  CHECK(0 == failuresOfThreads([&](int thread) {
          if (thread % 2)
            return inContext(session.context, [&] {
              Arrays arrays;
              return arrays.isWell && done({arrays.launch(function, nullptr), api::cuCtxSynchronize()}) &&
                     arrays.areAdded();
            });
          CUcontext context = nullptr;
          if (api::cuCtxCreate_v2(&context, 0, session.device) != CUDA_SUCCESS) return false;
          CUmodule module = nullptr;
          CUfunction own = nullptr;
          bool isWell = done(
              {api::cuModuleLoadData(&module, kAddOne), api::cuModuleGetFunction(&own, module, "add_one")});
          if (thread == 0) { // reads what is no memory
            CUdeviceptr nowhere = 64;
            void *parameters[] = {&nowhere, &nowhere};
            isWell &=
                api::cuLaunchKernel(own, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS;
            isWell &= api::cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS;
          } else {
            CUdeviceptr memory = 0;
            isWell &= done({api::cuMemAlloc_v2(&memory, 1 << 16), api::cuMemsetD8_v2(memory, 3, 1 << 16)});
          }
          return api::cuCtxDestroy_v2(context) == CUDA_SUCCESS && isWell;
        }));
}

TEST_CASE("threads: modules that a graph outlives go with it, beside launches", "[simulator][driver]") {
  DriverSession session;
  const CUfunction function = session.function(session.load(kAddOne), "add_one");
  CHECK(0 == failuresOfThreads([&](int thread) {
          return inContext(session.context, [&] {
            Arrays arrays;
            if (thread % 2)
              return arrays.isWell && done({arrays.launch(function, nullptr)}) && arrays.areAdded();
            CUmodule module = nullptr;
            CUfunction own = nullptr;
            CUstream stream = nullptr;
            CUgraph graph = nullptr;
            CUgraphExec executable = nullptr;
            return done({api::cuModuleLoadData(&module, kAddOne),
                         api::cuModuleGetFunction(&own, module, "add_one"), api::cuStreamCreate(&stream, 0),
                         api::cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                         arrays.launch(own, stream), api::cuStreamEndCapture(stream, &graph),
                         api::cuGraphInstantiateWithFlags(&executable, graph, 0), api::cuGraphDestroy(graph),
                         api::cuModuleUnload(module), api::cuGraphExecDestroy(executable),
                         api::cuStreamDestroy_v2(stream)});
          });
        }));
}

TEST_CASE("threads: libraries, options and statistics of one device", "[simulator][driver]") {
  DriverSession session;
  CUlibrary library = nullptr;
  REQUIRE(api::cuLibraryLoadData(&library, kAddOne, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  CHECK(0 == failuresOfThreads([&](int thread) {
          return inContext(session.context, [&] {
            Arrays arrays;
            CUkernel kernel = nullptr;
            CUfunction function = nullptr;
            size_t free = 0, total = 0;
            Options options = simulatorOptions("sm_100a");
            options.collectStatistics = thread % 2;
            if (thread < 2) setSimulatorOptions("sm_100a", options);
            if (thread == 2) takeSimulatorStatistics("sm_100a");
            return arrays.isWell &&
                   done({api::cuLibraryGetKernel(&kernel, library, "add_one"),
                         api::cuKernelGetFunction(&function, kernel),
                         arrays.launch(function, CU_STREAM_PER_THREAD),
                         api::cuMemGetInfo_v2(&free, &total)}) &&
                   arrays.areAdded();
          });
        }));
  CHECK(api::cuLibraryUnload(library) == CUDA_SUCCESS);
}

TEST_CASE("threads: chips that are asked for at once", "[simulator][driver]") {
  std::vector<std::string> names;
  for (const mxc::Chip &chip : mxc::allChips())
    if (chip.isSimulated()) names.emplace_back(chip.name);
  CHECK(0 == failuresOfThreads([&](int thread) {
          const std::string &name = names[size_t(thread) % names.size()];
          const CUdevice device = mxc::sim::Simulator::instance().open(name).ordinal();
          CUcontext context = nullptr;
          return done({api::cuInit(0), api::cuDevicePrimaryCtxRetain(&context, device)}) &&
                 inContext(context, [] { return Arrays().isWell; }) &&
                 api::cuDevicePrimaryCtxRelease_v2(device) == CUDA_SUCCESS;
        }));
}
