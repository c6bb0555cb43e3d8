// Memory for workspaces that a caller did not give.
#pragma once

#include "runtime/device/Buffer.h"
#include "runtime/launch/LaunchPlan.h"

#include <vector>

namespace mxc {

/// Allocates what `plan` lacks, for any number of launches, which the buffers must outlive. Zeroes the
/// workspaces that are zeroed once. Must not be called under capture.
std::vector<Buffer> ownedWorkspaces(const Device &device, LaunchPlan &plan);

/// The same for one launch, in the order of a stream: destroying this frees the memory after the launch that
/// was enqueued meanwhile.
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

/// Enqueues the zeroing of one workspace.
void clearWorkspace(const Device &device, const WorkspaceRequest &workspace, CUstream stream);

} // namespace mxc
