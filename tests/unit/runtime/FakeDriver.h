// A CUDA driver in host memory: memory is malloc's, streams do their work at once, kernels are recorded and
// not run.
#pragma once

#include "runtime/device/Driver.h"

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
  uint32_t rank;
  uint64_t address;
  uint64_t sizes[5], strides[4]; // of the rank, then zeros
  uint32_t box[5], elementStrides[5];
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

/// Tests set the upper half and read the lower. Memory functions fail with CUDA_ERROR_INVALID_CONTEXT where
/// no context is current, and with CUDA_ERROR_INVALID_VALUE outside an allocation.
struct FakeDriverState {
  int deviceCount = 1, major = 9, minor = 0;
  std::string failing;                        // this function
  CUresult failure = CUDA_ERROR_UNKNOWN;      // returns this
  std::string log;                            // what a failing cuModuleLoadDataEx writes
  std::vector<size_t> parameterSizes;         // the kernel's, which a real driver reads in the image
  std::map<std::string, double> launchMicros; // by function: how far a launch moves the clock of events
  std::map<std::string, int> faultyLaunch; // by function: the one, from 1, that accesses an illegal address
  double clockMicros = 0;

  int contextDepth = 0, retained = 0, modules = 0, streams = 0, events = 0;
  std::map<uint64_t, size_t> allocations; // address, bytes
  int streamOrdered = 0;                  // allocations so far
  int pools = 0, trims = 0;               // pools of memory that are there; how often one was trimmed
  uint64_t poolKeeps = 0;                 // bytes past a synchronization
  std::string image;                      // the last one loaded, of its first bytes up to a NUL
  std::vector<FakeLaunch> launches;
  CUresult fault = CUDA_SUCCESS; // of a kernel: what every call returns from then on
  std::vector<FakeTensorMap> tensorMaps;
  std::map<std::pair<std::string, int>, int> attributes; // function, CUfunction_attribute
};

extern "C" FakeDriverState *fakeDriverState();
