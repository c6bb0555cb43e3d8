#include "tests/unit/simulator/DriverSession.h"

#include <fstream>
#include <numeric>
#include <unistd.h>

using namespace mxc::sim;

static std::string emptyKernel(const std::string &directives) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() " + directives + " { ret; }\n";
}

static CUresult launch(CUfunction function, CUlaunchConfig config,
                       std::vector<CUlaunchAttribute> attributes = {}) {
  config.attrs = attributes.data(), config.numAttrs = static_cast<unsigned>(attributes.size());
  return api::cuLaunchKernelEx(&config, function, nullptr, nullptr);
}
static CUlaunchAttribute clusterOf(unsigned x) {
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {x, 1, 1};
  return cluster;
}

TEST_CASE("a kernel runs, with its parameters one by one or in a buffer", "[simulator][driver]") {
  DriverSession session;
  CUfunction function = session.function(session.load(kAddOne), "add_one");
  CUdeviceptr x = session.allocate(256 * 4), y = session.allocate(256 * 4);
  std::vector<uint32_t> host(256);
  std::iota(host.begin(), host.end(), 0u);
  REQUIRE(api::cuMemcpyHtoD_v2(x, host.data(), 1024) == CUDA_SUCCESS);
  void *parameters[] = {&x, &y};
  CHECK(api::cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  CUdeviceptr buffer[] = {y, x};
  size_t bytes = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK(api::cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == CUDA_SUCCESS);
  bytes = 8; // too few
  CHECK(api::cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  REQUIRE(api::cuMemcpyDtoH_v2(host.data(), x, 1024) == CUDA_SUCCESS);
  CHECK((host[0] == 2 && host[255] == 257));
}

TEST_CASE("a launch that cannot be is refused at once", "[simulator][driver]") {
  DriverSession session;
  CUfunction any = session.function(session.load(emptyKernel("")), "k");
  CHECK(launch(any, {1, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, 0}) == CUDA_SUCCESS);
  for (CUlaunchConfig config : {CUlaunchConfig{0, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0},
                                {1, 65536, 1, 32, 1, 1, 0, nullptr, nullptr, 0},
                                {1, 1, 1, 0, 1, 1, 0, nullptr, nullptr, 0},
                                {1, 1, 1, 1025, 1, 1, 0, nullptr, nullptr, 0},
                                {1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, 0},
                                {1, 1, 1, 64, 32, 1, 0, nullptr, nullptr, 0},
                                {1, 1, 1, 32, 1, 1, 48 * 1024 + 1, nullptr, nullptr, 0}})
    CHECK(launch(any, config) == CUDA_ERROR_INVALID_VALUE);
  CUfunction exact = session.function(session.load(emptyKernel(".reqntid 64, 2, 1")), "k");
  CHECK(launch(exact, {1, 1, 1, 64, 2, 1, 0, nullptr, nullptr, 0}) == CUDA_SUCCESS);
  CHECK(launch(exact, {1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, 0}) == CUDA_ERROR_INVALID_VALUE);
  CUfunction few = session.function(session.load(emptyKernel(".maxntid 128")), "k");
  CHECK(launch(few, {1, 1, 1, 160, 1, 1, 0, nullptr, nullptr, 0}) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuCtxSynchronize() == CUDA_SUCCESS);
}

TEST_CASE("more shared memory needs an opt-in", "[simulator][driver]") {
  DriverSession session;
  CUfunction function = session.function(session.load(emptyKernel("")), "k");
  constexpr CUfunction_attribute kShared = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  CHECK(api::cuFuncSetAttribute(function, kShared, 232449) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuFuncSetAttribute(function, kShared, 232448) == CUDA_SUCCESS);
  CHECK(launch(function, {1, 1, 1, 32, 1, 1, 232448, nullptr, nullptr, 0}) == CUDA_SUCCESS);
  int blocks = 0;
  CHECK(api::cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 232448) == CUDA_SUCCESS);
  CHECK(blocks == 1);
  CHECK(api::cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0) == CUDA_SUCCESS);
  CHECK(blocks == 2);
}

TEST_CASE("a kernel of many PTX registers fits on a multiprocessor", "[simulator][driver]") {
  DriverSession session;
  CUfunction function = session.function(
      session.load(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<3000>; ret; }"),
      "k");
  int blocks = 0, registers = 0;
  CHECK(api::cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0) == CUDA_SUCCESS);
  CHECK(blocks == 1);
  CHECK(api::cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS);
  CHECK(registers == 64);
}

TEST_CASE("clusters divide the grid, and beyond 8 need leave", "[simulator][driver]") {
  DriverSession session("sm_90a");
  CUfunction function = session.function(session.load(emptyKernel("")), "k");
  CUlaunchConfig config{16, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
  CHECK(launch(function, config, {clusterOf(8)}) == CUDA_SUCCESS);
  CHECK(launch(function, config, {clusterOf(3)}) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(launch(function, config, {clusterOf(16)}) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(api::cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) ==
        CUDA_SUCCESS);
  CHECK(launch(function, config, {clusterOf(16)}) == CUDA_SUCCESS);
  CUlaunchAttribute four = clusterOf(4);
  int clusters = 0;
  config.attrs = &four, config.numAttrs = 1, config.sharedMemBytes = 40000;
  CHECK(api::cuOccupancyMaxActiveClusters(&clusters, function, &config) == CUDA_SUCCESS);
  CHECK(clusters == 2 * (18 * 5 / 4) + 6 * (16 * 5 / 4)); // five blocks a multiprocessor, 8 GPCs
}

TEST_CASE("a cooperative launch is refused if the chip cannot hold it at a time", "[simulator][driver]") {
  DriverSession session("sm_90a"); // 132 multiprocessors of 32 blocks, or two of 1024 threads
  CUfunction function = session.function(session.load(emptyKernel("")), "k");
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative.value.cooperative = 1;
  auto with = [&](unsigned blocks, unsigned threads, std::vector<CUlaunchAttribute> attributes) {
    return launch(function, {blocks, 1, 1, threads, 1, 1, 0, nullptr, nullptr, 0}, attributes);
  };
  CHECK(with(132 * 2, 1024, {cooperative}) == CUDA_SUCCESS);
  CHECK(with(132 * 2 + 1, 1024, {cooperative}) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK(with(132 * 2 + 1, 1024, {}) == CUDA_SUCCESS);
  CHECK(with(132 * 32 + 1, 32, {cooperative}) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK(with(32 * 8, 1024, {cooperative, clusterOf(8)}) ==
        CUDA_SUCCESS); // 2 * (18 * 2 / 8) + 6 * (16 * 2 / 8)
  CHECK(with(33 * 8, 1024, {cooperative, clusterOf(8)}) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK(api::cuCtxSynchronize() == CUDA_SUCCESS);
}

TEST_CASE("a fault is reported at once and meets the first call that waits", "[simulator][driver]") {
  std::string file = "/tmp/mxc-fault-" + std::to_string(getpid()) + ".txt";
  Options before = simulatorOptions("sm_103a"), reporting = before;
  reporting.reportFile = file;
  setSimulatorOptions("sm_103a", reporting);
  {
    DriverSession session("sm_103a");
    CUfunction function = session.function(session.load(kAddOne), "add_one");
    CUdeviceptr x = session.allocate(64), y = session.allocate(64), wrong = x + (1 << 20);
    REQUIRE(api::cuMemsetD8_v2(x, 1, 64) == CUDA_SUCCESS);
    void *bad[] = {&wrong, &y}, *good[] = {&x, &y};
    CHECK(api::cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, bad, nullptr) == CUDA_SUCCESS);
    CHECK(api::cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, good, nullptr) ==
          CUDA_SUCCESS); // not run
    CHECK(api::cuStreamSynchronize(nullptr) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(api::cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, good, nullptr) ==
          CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(api::cuMemFree_v2(x) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(api::cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
    DriverSession other("sm_90a"); // another device knows nothing of it
    CHECK(api::cuCtxSynchronize() == CUDA_SUCCESS);
  }
  setSimulatorOptions("sm_103a", before);
  std::ifstream report(file);
  std::string text{std::istreambuf_iterator<char>(report), {}};
  CHECK_THAT(text, Catch::Contains("add_one") && Catch::Contains("out of bounds"));
  std::remove(file.c_str());
}

TEST_CASE("a reset of the primary context forgets the fault", "[simulator][driver]") {
  DriverSession session("sm_103a");
  CUfunction function = session.function(session.load(kAddOne), "add_one");
  CUdeviceptr null = 0;
  void *parameters[] = {&null, &null};
  CHECK(api::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  CUdeviceptr address;
  CHECK(api::cuMemAlloc_v2(&address, 16) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(api::cuDevicePrimaryCtxReset_v2(session.device) == CUDA_SUCCESS);
  CHECK(api::cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(api::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
}

/// In a session with strict checks: y = x + 1 and, as its dependent, x = y + 1.
static CUresult chain(bool waits, bool synchronizes) {
  Options before = simulatorOptions("sm_103a"), strict = before;
  strict.checks = Checks::Strict;
  setSimulatorOptions("sm_103a", strict);
  DriverSession session("sm_103a");
  std::string ptx = kAddOne;
  if (waits) ptx.insert(ptx.find("ld.global"), "griddepcontrol.wait;\n");
  CUfunction function = session.function(session.load(ptx), "add_one");
  CUdeviceptr x = session.allocate(64), y = session.allocate(64);
  REQUIRE(api::cuMemsetD8_v2(x, 1, 64) == CUDA_SUCCESS);
  CUlaunchAttribute dependent{};
  dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  dependent.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{1, 1, 1, 16, 1, 1, 0, nullptr, &dependent, 1};
  void *forth[] = {&x, &y}, *back[] = {&y, &x};
  REQUIRE(api::cuLaunchKernelEx(&config, function, forth, nullptr) == CUDA_SUCCESS); // nothing in front
  if (synchronizes) REQUIRE(api::cuStreamSynchronize(nullptr) == CUDA_SUCCESS);
  REQUIRE(api::cuLaunchKernelEx(&config, function, back, nullptr) == CUDA_SUCCESS);
  CUresult result = api::cuCtxSynchronize();
  setSimulatorOptions("sm_103a", before);
  return result;
}

TEST_CASE("a dependent launch waits for the grid whose results it reads", "[simulator][driver]") {
  CHECK(chain(/*waits=*/true, /*synchronizes=*/false) == CUDA_SUCCESS);
  CHECK(chain(/*waits=*/false, /*synchronizes=*/true) == CUDA_SUCCESS);
  CHECK(chain(/*waits=*/false, /*synchronizes=*/false) == CUDA_ERROR_LAUNCH_FAILED);
}
