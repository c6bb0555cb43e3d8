// Launches a kernel by its arguments' names.
#pragma once

#include "runtime/launch/LaunchPlan.h"
#include "runtime/launch/Module.h"

#include <memory>
#include <optional>
#include <vector>

namespace mxc {

struct LaunchOptions {
  CUstream stream = nullptr; // the default stream; mxc::Stream converts
  bool pdl = false; // programmatic dependent launch: may start before the stream's previous kernel has ended
  std::optional<size_t> variant = std::nullopt; // force this one of the ABI's, not the first that fits
  Dimensions dimensions = {}; // those that no argument says: of scales between two layouts with padding
};

/// A checked launch with its parameters and tensor maps ready, which repeats at the cost of the driver's
/// call. It holds the arguments' addresses and keeps the module alive, but not the arguments' memory. It owns
/// the workspaces that were not given: if there are any, its launches must not overlap in time, and it must
/// outlive them (also those in a graph that captured them). Otherwise threads may share it.
class PreparedLaunch {
public:
  PreparedLaunch(PreparedLaunch &&) noexcept;
  PreparedLaunch &operator=(PreparedLaunch &&) noexcept;
  ~PreparedLaunch();

  /// Enqueues the launch, after zeroing the workspaces that need it before each launch; does nothing for an
  /// empty grid. Throws mxc::Error: Device if the driver refuses, InvalidInput on a simulator if groups' ends
  /// or a gather's rows break their contract (RowContracts). Faults of the kernel itself surface where the
  /// stream is waited for.
  void launch(CUstream stream = nullptr) const;

  const LaunchPlan &plan() const;

private:
  friend class Kernel;
  struct State;
  explicit PreparedLaunch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A cheap handle that keeps its module loaded.
class Kernel {
public:
  const KernelAbi &abi() const { return *abi_; }
  const Module &module() const { return module_; }

  /// Checks and enqueues one launch. Workspaces that are not given are allocated and freed in the stream's
  /// order (under capture, in the graph; if the driver refuses that, prepare before the capture). Throws
  /// mxc::Error: InvalidInput as planLaunch does, Device if the driver refuses or the device cannot hold the
  /// variant's shared memory.
  void launch(const Arguments &arguments, const LaunchOptions &options = {}) const;

  /// Does the same without launching, for repeated launches with the same arguments. `options.stream` is not
  /// used.
  PreparedLaunch prepare(const Arguments &arguments, const LaunchOptions &options = {}) const;

  /// Returns how many bytes a workspace of the ABI must have on this device. Throws mxc::Error
  /// (InvalidInput).
  int64_t workspaceBytes(const AbiArgument &workspace, Dimensions dimensions) const;

private:
  friend class Module;
  Kernel(const Module &module, const KernelAbi &abi) : module_(module), abi_(&abi) {}
  LaunchPlan plan(const Arguments &arguments, const LaunchOptions &options) const;
  Module module_;
  const KernelAbi *abi_; // in the module's state
};

} // namespace mxc
