// Memory for the workspaces that a caller did not give.
#pragma once

#include "runtime/device/Buffer.h"
#include "runtime/launch/LaunchPlan.h"

#include <vector>

namespace mxc {

/// Allocates what `plan` lacks, for as many launches as one likes: the buffers must outlive them. Workspaces
/// to be zeroed once are. Not under capture.
std::vector<Buffer> ownedWorkspaces(const Device &device, LaunchPlan &plan);

/// The same for one launch, in the order of a stream: freed when this goes, behind the launch enqueued
/// meanwhile.
class StreamWorkspaces {
public:
  StreamWorkspaces(const Device &device, LaunchPlan &plan, CUstream stream);
  ~StreamWorkspaces();
  StreamWorkspaces(const StreamWorkspaces &) = delete;
  StreamWorkspaces &operator=(const StreamWorkspaces &) = delete;

private:
  StreamWorkspaces(const Device &device, CUstream stream) : device_(device), stream_(stream) {}
  const Device &device_;
  CUstream stream_;
  std::vector<CUdeviceptr> addresses_;
};

/// Enqueues the zeroing of one.
void clearWorkspace(const Device &device, const WorkspaceRequest &workspace, CUstream stream);

} // namespace mxc
