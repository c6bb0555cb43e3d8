// Streams, events, captures.
#include "tests/unit/simulator/DriverSession.h"

using namespace mxc::sim;

static uint8_t firstByte(CUdeviceptr address) {
  uint8_t byte = 0;
  CHECK(api::cuMemcpyDtoH_v2(&byte, address, 1) == CUDA_SUCCESS);
  return byte;
}
static CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  REQUIRE(api::cuStreamCreate(&stream, flags) == CUDA_SUCCESS);
  return stream;
}

TEST_CASE("the default streams have their handles", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr a = session.allocate(16);
  for (CUstream handle : {CUstream(nullptr), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, stream()}) {
    CHECK(api::cuMemsetD8Async(a, 5, 16, handle) == CUDA_SUCCESS);
    CHECK(api::cuStreamQuery(handle) == CUDA_SUCCESS);
    CUcontext context = nullptr;
    CHECK((api::cuStreamGetCtx(handle, &context) == CUDA_SUCCESS && context == session.context));
  }
  CUstream urgent = nullptr;
  int priority = 0;
  CHECK(api::cuStreamCreateWithPriority(&urgent, 0, -99) == CUDA_SUCCESS);
  CHECK((api::cuStreamGetPriority(urgent, &priority) == CUDA_SUCCESS && priority == -5));
}

TEST_CASE("a capture records launches, copies and fills, and replays them", "[simulator][driver]") {
  DriverSession session;
  CUfunction function = session.function(session.load(kAddOne), "add_one");
  CUdeviceptr x = session.allocate(64), y = session.allocate(64);
  CUstream s = stream();
  uint32_t seven = 7, result = 0;
  CHECK(api::cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  {
    void *parameters[] = {&x, &y};
    CHECK(api::cuMemcpyHtoDAsync_v2(x, &seven, 4, s) == CUDA_SUCCESS);
    CHECK(api::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr) == CUDA_SUCCESS);
    CHECK(api::cuMemcpyDtoHAsync_v2(&result, y, 4, s) == CUDA_SUCCESS);
  }
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CHECK(api::cuStreamEndCapture(s, &graph) == CUDA_SUCCESS);
  CHECK(api::cuGraphInstantiateWithFlags(&executable, graph, 0) == CUDA_SUCCESS);
  CHECK(api::cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(result == 0);
  CHECK(api::cuGraphLaunch(executable, s) == CUDA_SUCCESS);
  CHECK(result == 8);
  seven = 70;
  CHECK(api::cuGraphLaunch(executable, nullptr) == CUDA_SUCCESS);
  CHECK(result == 71);
  CHECK(api::cuGraphExecDestroy(executable) == CUDA_SUCCESS);
}

TEST_CASE("graphs of graphs have a depth that a stack of calls holds", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr x = session.allocate(4);
  CUstream s = stream();
  CUgraphExec executable = nullptr;
  CUresult result = CUDA_SUCCESS;
  int depth = 0;
  for (; result == CUDA_SUCCESS && depth < 100000; ++depth) {
    CUgraph graph = nullptr;
    CHECK(api::cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    result = executable ? api::cuGraphLaunch(executable, s) : api::cuMemsetD32Async(x, 7, 1, s);
    CHECK(api::cuStreamEndCapture(s, &graph) == CUDA_SUCCESS);
    if (result == CUDA_SUCCESS)
      CHECK(api::cuGraphInstantiateWithFlags(&executable, graph, 0) == CUDA_SUCCESS);
  }
  CHECK((result == CUDA_ERROR_OUT_OF_MEMORY && depth > 200));
  CHECK(api::cuGraphLaunch(executable, s) == CUDA_SUCCESS);
  uint32_t found = 0;
  CHECK(api::cuMemcpyDtoH_v2(&found, x, 4) == CUDA_SUCCESS);
  CHECK(found == 7);
}

TEST_CASE("a stream that waits for an event of a capture joins it", "[simulator][driver]") {
  DriverSession session;
  CUdeviceptr a = session.allocate(16);
  REQUIRE(api::cuMemsetD8_v2(a, 0, 16) == CUDA_SUCCESS);
  CUstream first = stream(), second = stream();
  CUevent fork = nullptr, join = nullptr;
  REQUIRE((api::cuEventCreate(&fork, 0) == CUDA_SUCCESS && api::cuEventCreate(&join, 0) == CUDA_SUCCESS));
  CHECK(api::cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(api::cuEventRecord(fork, first) == CUDA_SUCCESS);
  CHECK(api::cuStreamWaitEvent(second, fork, 0) == CUDA_SUCCESS);
  CHECK(api::cuMemsetD8Async(a, 3, 16, second) == CUDA_SUCCESS);
  CHECK(api::cuEventRecord(join, second) == CUDA_SUCCESS);
  CHECK(api::cuStreamWaitEvent(first, join, 0) == CUDA_SUCCESS);
  CHECK(api::cuEventSynchronize(join) == CUDA_ERROR_CAPTURED_EVENT);
  CUgraph graph = nullptr;
  CHECK(api::cuStreamEndCapture(second, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  CHECK(api::cuStreamEndCapture(first, &graph) == CUDA_SUCCESS);
  CHECK(firstByte(a) == 0);
  CUgraphExec executable = nullptr;
  CHECK(api::cuGraphInstantiateWithFlags(&executable, graph, 0) == CUDA_SUCCESS);
  CHECK(api::cuGraphLaunch(executable, second) == CUDA_SUCCESS);
  CHECK(firstByte(a) == 3);
}

TEST_CASE("a capture forbids to wait for its stream", "[simulator][driver]") {
  DriverSession session;
  CUstream s = stream();
  CUgraph graph = nullptr;
  CHECK(api::cuStreamEndCapture(s, &graph) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(api::cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(api::cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CHECK(api::cuStreamSynchronize(s) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(api::cuStreamEndCapture(s, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(graph == nullptr);
  CHECK(api::cuStreamSynchronize(s) == CUDA_SUCCESS);
}

TEST_CASE("events take the time of the host", "[simulator][driver]") {
  DriverSession session;
  CUevent begin = nullptr, end = nullptr, untimed = nullptr;
  REQUIRE(api::cuEventCreate(&begin, 0) == CUDA_SUCCESS);
  REQUIRE(api::cuEventCreate(&end, 0) == CUDA_SUCCESS);
  REQUIRE(api::cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  float milliseconds = -1;
  CHECK(api::cuEventElapsedTime(&milliseconds, begin, end) == CUDA_ERROR_INVALID_HANDLE); // not recorded
  for (CUevent event : {begin, end, untimed})
    CHECK(api::cuEventRecord(event, nullptr) == CUDA_SUCCESS);
  CHECK(api::cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS);
  CHECK(milliseconds >= 0);
  CHECK(api::cuEventElapsedTime(&milliseconds, begin, untimed) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("a host function runs in its stream's order", "[simulator][driver]") {
  DriverSession session;
  int calls = 0;
  auto count = [](void *data) { ++*static_cast<int *>(data); };
  CHECK(api::cuLaunchHostFunc(nullptr, count, &calls) == CUDA_SUCCESS);
  CHECK(calls == 1);
}
