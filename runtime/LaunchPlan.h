// From a kernel's ABI and what it is called with to what the driver is told. Pure: no device, no driver.
#pragma once

#include "runtime/ArgumentChecks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxc {

/// A tensor map that the driver encodes into the parameter bytes at launch: always two dimensions, columns
/// innermost.
struct TensorMapRequest {
  size_t parameterOffset = 0; // where its 128 bytes go
  std::string argument, type; // the ABI's name and element type
  uint64_t address = 0;
  int64_t columns = 0, rows = 0; // elements
  int64_t rowStrideBytes = 0;
  std::array<uint32_t, 2> box{}; // elements, columns first
  int swizzleBytes = 0;          // 0, 32, 64, 128
};

struct LaunchPlan {
  const AbiVariant *variant = nullptr; // in the ABI that the plan was made of
  Dimensions dimensions;
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t sharedBytes = 0; // dynamic

  /// The parameters as in the kernel's parameter space, each at parameterOffsets[i]: Pointer, RowStride
  /// (elements) and Dimension 8 bytes little endian, TensorMap 128 bytes at a multiple of 64, zero until
  /// encoded.
  std::vector<std::byte> parameterBytes;
  std::vector<size_t> parameterOffsets;
  std::vector<TensorMapRequest> tensorMaps;

  bool isEmpty() const { return !grid[0] || !grid[1] || !grid[2]; } // nothing to launch
};

/// Checks the arguments (solveDimensions, bindArguments), chooses the first variant whose condition and
/// alignments hold, and lays out its launch. Throws mxc::Error (InvalidInput): what those two throw; no
/// variant fits, with each one's reason; a grid that is negative, beyond CUDA's limits (2^31-1, 65535, 65535)
/// or no multiple of the cluster; a parameter or tensor map that the ABI ill describes.
LaunchPlan planLaunch(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given = {});

} // namespace mxc
