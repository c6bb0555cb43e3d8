// Kernels compiled in this process, run on the GPU between guards, and held against the host reference.
#pragma once

#include "compiler/reference/OutputComparison.h"
#include "runtime/Kernel.h"
#include "runtime/Stream.h"
#include "tools/mxc/GuardedTensor.h"

#include <future>
#include <map>
#include <string>

/// The device that all tests share.
const mxc::Device &testDevice();

/// Compiles MLIR for it: to a cubin, or without a CUDA toolkit to PTX.
mxc::Module compileForDevice(const std::string &source, const std::string &tile = {});

/// The same on another thread, so that the machine's cores share the work.
std::future<mxc::Module> compileInBackground(std::string source, std::string tile = {});

struct RunCase {
  mxc::HostTensors inputs;
  mxc::Dimensions dimensions;
  std::map<std::string, mxc::Placement> placements; // by argument; absent: contiguous, aligned
  const mxc::Prologue *prologue = nullptr;
  mxc::LaunchOptions options;
};

struct RunOutcome {
  std::string tile;    // of the variant that was launched
  std::string failure; // empty if every output is right and nothing beside it was touched
  std::map<std::string, std::vector<std::byte>, std::less<>> outputs;
};

RunOutcome runChecked(const mxc::Kernel &kernel, const RunCase &run);

struct Shape {
  int64_t rows, columns;
};
std::string text(Shape shape); // "127x33"

/// quantize kernels of arguments x, q, s on random data of its type; "" or the failure, with the case named.
std::string checkQuantize(const mxc::Kernel &kernel, Shape shape, const std::string &expectedTile = {},
                          std::map<std::string, mxc::Placement> placements = {});
