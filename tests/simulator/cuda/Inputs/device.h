// The host's side of a CUDA test: a program `PROGRAM MODULE.ptx` on the driver API alone, so that it runs on
// whatever libcuda.so.1 the loader finds, the simulator's or NVIDIA's. It prints ok and ends with 0, or says
// what is wrong.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#define CHECKED(call) ::checked(call, #call, __LINE__)

inline void checked(CUresult result, const char *call, int line) {
  if (result == CUDA_SUCCESS) return;
  const char *name = "?";
  cuGetErrorName(result, &name);
  std::printf("line %d: %s: %s\n", line, call, name);
  std::_Exit(1);
}

/// A context with the module that the command line names.
class Device {
public:
  Device(int argc, char **argv) {
    std::ifstream file(argc > 1 ? argv[1] : "");
    std::stringstream text;
    text << file.rdbuf();
    CUdevice device;
    CUcontext context;
    CHECKED(cuInit(0));
    CHECKED(cuDeviceGet(&device, 0));
    CHECKED(cuDevicePrimaryCtxRetain(&context, device));
    CHECKED(cuCtxSetCurrent(context));
    CHECKED(cuModuleLoadData(&module_, text.str().c_str()));
  }

  struct Shape {
    unsigned grid = 1, block = 32, cluster = 1, sharedBytes = 0;
  };

  /// Launches and waits.
  template <class... Arguments> void launch(const char *kernel, Shape shape, Arguments... arguments) {
    CUfunction function;
    CHECKED(cuModuleGetFunction(&function, module_, kernel));
    if (shape.sharedBytes)
      CHECKED(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 int(shape.sharedBytes)));
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {shape.cluster, 1, 1};
    CUlaunchConfig config{};
    config.gridDimX = shape.grid, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = shape.block, config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shape.sharedBytes;
    config.attrs = &cluster, config.numAttrs = shape.cluster > 1;
    void *parameters[] = {&arguments...};
    CHECKED(cuLaunchKernelEx(&config, function, parameters, nullptr));
    CHECKED(cuCtxSynchronize());
  }

private:
  CUmodule module_;
};

/// Device memory that begins as a copy of the host's.
template <class T> class Buffer {
public:
  explicit Buffer(const std::vector<T> &host) : count_(host.size()) {
    CHECKED(cuMemAlloc(&address_, count_ * sizeof(T)));
    CHECKED(cuMemcpyHtoD(address_, host.data(), count_ * sizeof(T)));
  }
  CUdeviceptr address() const { return address_; }
  std::vector<T> read() const {
    std::vector<T> host(count_);
    CHECKED(cuMemcpyDtoH(host.data(), address_, count_ * sizeof(T)));
    return host;
  }

private:
  CUdeviceptr address_ = 0;
  size_t count_;
};

/// A row-major matrix for bulk tensor copies of boxes; zeros lie outside of it.
struct Matrix {
  CUdeviceptr address;
  CUtensorMapDataType type;
  uint64_t rows, columns, pitchBytes;
  uint32_t boxRows, boxColumns;
  CUtensorMapSwizzle swizzle;

  CUtensorMap map() const {
    CUtensorMap result;
    cuuint64_t sizes[] = {columns, rows}, pitch[] = {pitchBytes};
    cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
    CHECKED(cuTensorMapEncodeTiled(&result, type, 2, reinterpret_cast<void *>(address), sizes, pitch, box,
                                   steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return result;
  }
};

/// The program's end: every element is what the host computed.
template <class T> int compare(const std::vector<T> &found, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (found[i] != expected[i]) {
      std::printf("element %zu: expected %g, found %g\n", i, double(expected[i]), double(found[i]));
      return 1;
    }
  std::puts("ok");
  return 0;
}
