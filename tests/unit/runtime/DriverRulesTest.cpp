// What the driver itself refuses, and how it says so: the same on silicon and on the simulator.
#include "tests/unit/runtime/Conformance.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace mxc;

namespace {

/// A kernel that does nothing, in a module of its own.
class EmptyKernel {
public:
  explicit EmptyKernel(const std::string &directives) : device_(conformanceDevice()), scope_(device_) {
    std::string ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() " + directives + " { ret; }\n";
    REQUIRE(driver().cuModuleLoadDataEx(&module_, ptx.c_str(), 0, nullptr, nullptr) == CUDA_SUCCESS);
    REQUIRE(driver().cuModuleGetFunction(&function_, module_, "k") == CUDA_SUCCESS);
  }
  ~EmptyKernel() { driver().cuModuleUnload(module_); }

  const Driver &driver() const { return device_.driver(); }
  CUfunction function() const { return function_; }
  CUresult launch(CUlaunchConfig config, unsigned clusterX = 0) const {
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {clusterX, 1, 1};
    config.attrs = &cluster, config.numAttrs = clusterX != 0;
    return driver().cuLaunchKernelEx(&config, function_, nullptr, nullptr);
  }

private:
  Device device_;
  ContextScope scope_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

CUlaunchConfig shape(unsigned gridX, unsigned blockX, unsigned sharedBytes = 0) {
  return {gridX, 1, 1, blockX, 1, 1, sharedBytes, nullptr, nullptr, 0};
}

} // namespace

TEST_CASE("grids and blocks have their limits", MXC_CONFORMANCE_TAGS) {
  EmptyKernel kernel("");
  CHECK(kernel.launch(shape(1, 1024)) == CUDA_SUCCESS);
  CHECK(kernel.launch(shape(0, 32)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(kernel.launch(shape(1, 0)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(kernel.launch(shape(1, 1025)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(kernel.launch({1, 65536, 1, 32, 1, 1, 0, nullptr, nullptr, 0}) == CUDA_ERROR_INVALID_VALUE);
  CHECK(kernel.launch({1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, 0}) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a kernel's own limits hold", MXC_CONFORMANCE_TAGS) {
  EmptyKernel exact(".reqntid 64, 2, 1");
  CHECK(exact.launch({1, 1, 1, 64, 2, 1, 0, nullptr, nullptr, 0}) == CUDA_SUCCESS);
  CHECK(exact.launch(shape(1, 128)) == CUDA_ERROR_INVALID_VALUE);
  EmptyKernel few(".maxntid 128");
  CHECK(few.launch(shape(1, 160)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("shared memory beyond 48 KiB needs an opt-in", MXC_CONFORMANCE_TAGS) {
  EmptyKernel kernel("");
  const int most = conformanceDevice().limits().sharedBytesPerBlockOptIn;
  constexpr CUfunction_attribute kShared = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  auto allow = [&](int bytes) {
    return kernel.driver().cuFuncSetAttribute(kernel.function(), kShared, bytes);
  };
  CHECK(kernel.launch(shape(1, 32, 49152)) == CUDA_SUCCESS);
  CHECK(kernel.launch(shape(1, 32, 49153)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(allow(most + 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(allow(most) == CUDA_SUCCESS);
  CHECK(kernel.launch(shape(1, 32, static_cast<unsigned>(most))) == CUDA_SUCCESS);
  int blocks = 0;
  CHECK(kernel.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function(), 32, 100000) ==
        CUDA_SUCCESS);
  CHECK(blocks == 2);
}

TEST_CASE("clusters divide the grid, and beyond 8 blocks need leave", MXC_CONFORMANCE_TAGS) {
  EmptyKernel kernel("");
  CHECK(kernel.launch(shape(16, 32), 8) == CUDA_SUCCESS);
  CHECK(kernel.launch(shape(16, 32), 3) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(kernel.launch(shape(16, 32), 16) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(kernel.driver().cuFuncSetAttribute(
            kernel.function(), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) == CUDA_SUCCESS);
  CHECK(kernel.launch(shape(16, 32), 16) == CUDA_SUCCESS);
  EmptyKernel pairs(".reqnctapercluster 2");
  CHECK(pairs.launch(shape(4, 32)) == CUDA_SUCCESS);
  CHECK(pairs.launch(shape(4, 32), 2) == CUDA_SUCCESS);
  CHECK(pairs.launch(shape(4, 32), 4) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_CASE("images that are none are refused by kind", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  ContextScope scope(device);
  auto load = [&](const std::string &image) {
    CUmodule module = nullptr;
    return device.driver().cuModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr);
  };
  CHECK(
      load(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { add.u32 %r1, %r1, 1; }\n") ==
      CUDA_ERROR_INVALID_PTX); // nobody declared %r1
  CHECK(load("garbage") == CUDA_ERROR_INVALID_IMAGE);
}

TEST_CASE("waiting for a stream that captures loses the capture", MXC_CONFORMANCE_TAGS) {
  Device device = conformanceDevice();
  ContextScope scope(device);
  const Driver &driver = device.driver();
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  REQUIRE(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(driver.cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
}
