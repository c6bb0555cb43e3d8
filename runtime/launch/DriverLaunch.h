// What the driver is called with for the launches of a plan.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/EntryTable.h"
#include "runtime/launch/LaunchPlan.h"

#include <optional>
#include <vector>

namespace mxc {

/// One launch that is not empty. It points into the launch's plan, whose addresses may change between calls.
class DriverLaunch {
public:
  /// Finds the entry and encodes the tensor maps. The device's context is current.
  DriverLaunch(const Device &device, EntryTable &entries, PlannedLaunch &plan, bool pdl);

  /// Encodes the tensor maps whose addresses are others than before. The device's context is current.
  void encodeMaps();

  void enqueue(CUstream stream) const;

private:
  const Device &device_;
  PlannedLaunch &plan_;
  CUfunction function_;
  std::vector<void *> parameters_; // into plan_.parameterBytes
  std::vector<uint64_t> encoded_;  // the tensor maps' addresses
  CUlaunchAttribute attributes_[2] = {};
  unsigned attributeCount_ = 0;
};

/// All launches of a plan. Each later one may start before the one ahead of it has ended: its entry waits.
class DriverLaunches {
public:
  DriverLaunches(const Device &device, EntryTable &entries, LaunchPlan &plan, bool pdl);

  void encodeMaps();

  /// Enqueues the zeroing of workspaces, and the launches.
  void enqueue(CUstream stream) const;

private:
  const Device &device_;
  const std::vector<WorkspaceRequest> &workspaces_; // the plan's
  std::optional<DriverLaunch> first_;
  std::vector<DriverLaunch> following_;
};

} // namespace mxc
