// Turns a kernel's ABI and a call's arguments into what the driver is told. Pure: no device, no driver.
#pragma once

#include "runtime/launch/ArgumentChecks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

/// A tensor map that the driver encodes into the parameter bytes at launch: the recipe with its expressions
/// evaluated. Dimensions come innermost first.
struct TensorMapRequest {
  size_t parameterOffset = 0; // where its 128 bytes go
  std::string argument = {};  // the ABI's name
  uint64_t address = 0;
  TensorMapType type = TensorMapType::U8;
  uint32_t rank = 0;
  std::array<uint64_t, 5> sizes{};   // elements
  std::array<uint64_t, 4> strides{}; // bytes
  std::array<uint32_t, 5> box{}, elementStrides{};
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapPromotion promotion = TensorMapPromotion::B256;
  TensorMapFill fill = TensorMapFill::Zeros;
};

/// A workspace that the variant takes.
struct WorkspaceRequest {
  std::string argument;
  uint64_t address = 0; // the caller's; 0: the runtime must provide one, then call provideWorkspace
  int64_t bytes = 0, alignment = 1;
  WorkspaceZeroing zeroing = WorkspaceZeroing::No;
};

/// One launch of a plan.
struct PlannedLaunch {
  const AbiLaunch *launch = nullptr; // in the ABI that the plan was made of
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t sharedBytes = 0; // dynamic

  /// The parameters as the kernel's parameter space has them, each at parameterOffsets[i]: Pointer, Stride
  /// (elements) and Dimension take 8 bytes, little endian; Scalar 4 or 8; TensorMap 128 at a multiple of 64,
  /// zero until encoded.
  std::vector<std::byte> parameterBytes;
  std::vector<size_t> parameterOffsets, parameterSizes;
  std::vector<TensorMapRequest> tensorMaps;

  uint32_t clusterSize() const { return cluster[0] * cluster[1] * cluster[2]; }
  bool isEmpty() const { return !grid[0] || !grid[1] || !grid[2]; } // nothing to launch
};

/// The first launch of a variant, and those that follow it.
struct LaunchPlan : PlannedLaunch {
  const AbiVariant *variant = nullptr; // in the ABI that the plan was made of
  Dimensions dimensions;
  std::vector<PlannedLaunch> following = {};
  std::vector<WorkspaceRequest> workspaces; // of those that the variant takes, all with bytes
  std::vector<ArgumentRange> ranges;        // one for each of the ABI's arguments

  /// Calls body(launch) for every launch, in order.
  void forEachLaunch(auto body) {
    body(static_cast<PlannedLaunch &>(*this));
    for (PlannedLaunch &launch : following)
      body(launch);
  }
  bool isEmpty() const { // nothing to launch
    return PlannedLaunch::isEmpty() &&
           std::all_of(following.begin(), following.end(),
                       [](const PlannedLaunch &launch) { return launch.isEmpty(); });
  }

  /// Gives a workspace its memory: sets the parameters that are its address and the tensor maps over it.
  void provideWorkspace(size_t workspace, uint64_t address);
};

/// A plan depends on these besides the arguments.
struct PlanOptions {
  Dimensions dimensions = {}; // given, in addition to those that the arguments say
  /// The device's facts under kDeviceFacts' names; without them, expressions that name one fail.
  const Dimensions *deviceFacts = nullptr;
  std::optional<size_t> variant = {}; // use this variant, not the first that fits
};

/// Checks the arguments (solveDimensions, bindArguments), chooses the first variant whose condition and
/// alignments hold, and lays out its launch. Throws mxc::Error (InvalidInput): what those two throw; no
/// variant fits, with each one's reason; a grid that is negative, beyond CUDA's limits (2^31-1, 65535, 65535)
/// or no multiple of the cluster; a workspace that is null, too small or unaligned; a negative size or stride
/// of a tensor map; a parameter or tensor map that the ABI describes wrongly.
LaunchPlan planLaunch(const KernelAbi &kernel, const Arguments &arguments, const PlanOptions &options = {});

/// Returns how many bytes a workspace must have; `values` are the kernel's dimensions and the device's facts.
/// Throws mxc::Error (InvalidInput) if its expression has no value or a negative one.
int64_t workspaceBytes(const KernelAbi &kernel, const AbiArgument &workspace, const Dimensions &values);

} // namespace mxc
