// Kernels compiled in this process, run on a device between guards, and held against the host reference.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/reference/OutputComparison.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/GuardedArguments.h"

#include <future>
#include <map>
#include <span>
#include <string>
#include <vector>

/// The device that all tests share: $MXC_TEST_DEVICE, or cuda:0.
const mxc::Device &testDevice();
bool isSimulated();
bool onWarpgroups(); // its products run on sm_90a's warpgroups
bool onWarps();      // mma.sync

/// Case `number` of many that differ little is left to simulators of other chips, where this is one: each of
/// them takes half. A GPU takes all.
bool isLeftToOthers(uint64_t number);

/// Compiles MLIR for it: to a cubin, or without a CUDA toolkit to PTX; for a simulator when an entry is
/// launched.
mxc::Module compileForDevice(const std::string &source, const std::string &tile = {});
mxc::Module compileForDevice(const std::string &source, const mxc::CompileOptions &options);

/// The same on another thread, so that the machine's cores share the work.
std::future<mxc::Module> compileInBackground(std::string source, std::string tile = {});

struct RunCase {
  mxc::HostTensors inputs;
  mxc::Dimensions dimensions;
  mxc::GuardedArguments::Placements placements; // by argument; absent: contiguous, aligned
  const mxc::Prologue *prologue = nullptr;
  mxc::LaunchOptions options;
};

struct RunOutcome {
  std::string tile;    // of the variant that was launched
  std::string failure; // empty if every output is right and nothing beside it was touched
  mxc::GuardedArguments::Outputs outputs;
};

RunOutcome runChecked(const mxc::Kernel &kernel, const RunCase &run);

/// "" or what differs: every clause of `tile` ("access = vector, warps = 8", or a whole attribute) must be
/// one of the launched tile's.
std::string tileFailure(const std::string &launched, const std::string &tile);

struct Shape {
  int64_t rows, columns;
};
std::string text(Shape shape); // "127x33"

/// Those of `shapes` that the device runs in a moment: a simulator's have less than a million elements.
std::vector<Shape> affordable(std::span<const Shape> shapes);

/// quantize kernels of arguments x, q, s on random data of its type; "" or the failure, with the case named.
std::string checkQuantize(const mxc::Kernel &kernel, Shape shape, const std::string &expectedTile = {},
                          mxc::GuardedArguments::Placements placements = {});
