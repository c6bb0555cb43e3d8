// A CUDA driver in host memory: memory is malloc's, streams do their work at once, kernels are recorded and
// not run.
#pragma once

#include "runtime/Driver.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct FakeLaunch {
  std::string entry;
  CUlaunchConfig config; // attrs: see attributes
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::vector<uint8_t>> parameters; // of parameterSizes
};

struct FakeTensorMap {
  CUtensorMapDataType type;
  uint64_t address, columns, rows, rowStrideBytes;
  uint32_t boxColumns, boxRows;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
};

/// Tests set the upper half and read the lower. Memory functions fail with CUDA_ERROR_INVALID_CONTEXT where
/// no context is current, and with CUDA_ERROR_INVALID_VALUE outside an allocation.
struct FakeDriverState {
  int deviceCount = 1, major = 9, minor = 0;
  std::string failing;                   // this function
  CUresult failure = CUDA_ERROR_UNKNOWN; // returns this
  std::string log;                       // what a failing cuModuleLoadDataEx writes
  std::vector<size_t> parameterSizes;    // the kernel's, which a real driver reads in the image

  int contextDepth = 0, retained = 0, modules = 0, streams = 0, events = 0;
  std::map<uint64_t, size_t> allocations; // address, bytes
  std::string image;                      // the last one loaded, of its first bytes up to a NUL
  std::vector<FakeLaunch> launches;
  std::vector<FakeTensorMap> tensorMaps;
  std::map<std::pair<std::string, int>, int> attributes; // function, CUfunction_attribute
};

extern "C" FakeDriverState *fakeDriverState();
