// Launches that were checked, kept for calls that differ from them in nothing but addresses: a program calls
// a kernel with the same few shapes again and again, on tensors that are made anew for each call.
#pragma once

#include "runtime/launch/DriverLaunch.h"
#include "runtime/launch/Kernel.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace mxc {

/// A plan that takes other addresses. What planLaunch checked of names, types, shapes, strides, values and
/// conditions holds for every call that `takes` accepts; the checks of addresses are made each time.
class RepeatedLaunch {
public:
  /// `plan` was made of the others.
  RepeatedLaunch(const KernelAbi &kernel, const Arguments &arguments, const LaunchOptions &options,
                 LaunchPlan plan);
  RepeatedLaunch(const RepeatedLaunch &) = delete; // the driver's launches point into the plan
  RepeatedLaunch &operator=(const RepeatedLaunch &) = delete;

  /// Whether a call is this launch at other addresses. They are then the plan's. False where something
  /// differs or is wrong, which planLaunch then says.
  bool takes(const KernelAbi &kernel, const Arguments &arguments, const LaunchOptions &options);

  LaunchPlan &plan() { return plan_; }

  /// Returns what is to be enqueued, its tensor maps encoded. The device's context is current.
  const DriverLaunches &ready(const Device &device, EntryTable &entries);

  /// Takes back the workspaces that were provided for one launch.
  void forgetWorkspaces();

private:
  struct Place { // of an argument, in the order of the call
    Argument argument;
    size_t range; // its number among the ABI's
    std::vector<std::byte *> parameters = {};
    std::vector<TensorMapRequest *> maps = {};
    WorkspaceRequest *workspace = nullptr;
  };
  void findUses(Place &place, const std::string &name);
  bool agrees(const Arguments &arguments) const;
  bool mayLieThere(const Arguments &arguments);
  void move(Place &place, uint64_t address);

  const KernelAbi &kernel_;
  std::optional<size_t> variant_;
  bool pdl_;
  LaunchPlan plan_;
  std::vector<Place> places_;
  std::vector<size_t> provided_; // workspaces that the caller does not give
  uint64_t lowBits_;             // of an address, on which conditions may depend
  std::optional<DriverLaunches> launches_;
};

/// Those of one module, the last one used at the end. Any thread may ask; a launch belongs to one thread at a
/// time.
class RepeatedLaunches {
public:
  /// Null where none takes the call.
  std::unique_ptr<RepeatedLaunch> take(const KernelAbi &kernel, const Arguments &arguments,
                                       const LaunchOptions &options);
  void keep(std::unique_ptr<RepeatedLaunch> launch);

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<RepeatedLaunch>> kept_;
};

} // namespace mxc
