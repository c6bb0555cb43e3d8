#include "runtime/launch/WorkspaceMemory.h"

#include <algorithm>

namespace mxc {

static constexpr int64_t kDriverAlignment = 256; // of every allocation of the driver's

/// It has room to be aligned beyond what the driver does.
static size_t allocatedBytes(const WorkspaceRequest &workspace) {
  return static_cast<size_t>(workspace.bytes + std::max<int64_t>(workspace.alignment - kDriverAlignment, 0));
}
static uint64_t aligned(uint64_t address, int64_t alignment) {
  const uint64_t unit = static_cast<uint64_t>(std::max<int64_t>(alignment, 1));
  return (address + unit - 1) / unit * unit;
}
static bool isLacking(const LaunchPlan &plan, const WorkspaceRequest &workspace) {
  return workspace.address == 0 && !plan.isEmpty();
}

void clearWorkspace(const Device &device, const WorkspaceRequest &workspace, CUstream stream) {
  const CUresult result =
      device.driver().cuMemsetD8Async(workspace.address, 0, static_cast<size_t>(workspace.bytes), stream);
  if (result != CUDA_SUCCESS) device.check(result, "zero the workspace '" + workspace.argument + "'");
}

std::vector<Buffer> ownedWorkspaces(const Device &device, LaunchPlan &plan) {
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < plan.workspaces.size(); ++i) {
    const WorkspaceRequest &workspace = plan.workspaces[i];
    if (!isLacking(plan, workspace)) continue;
    Buffer &buffer = buffers.emplace_back(device, allocatedBytes(workspace));
    if (workspace.zeroing == WorkspaceZeroing::Once) buffer.fill(0);
    plan.provideWorkspace(i, aligned(buffer.address(), workspace.alignment));
  }
  return buffers;
}

StreamWorkspaces::StreamWorkspaces(const Device &device, LaunchPlan &plan, CUstream stream)
    : StreamWorkspaces(device, stream) { // from here on what is thrown passes the destructor
  for (size_t i = 0; i < plan.workspaces.size(); ++i) {
    const WorkspaceRequest &workspace = plan.workspaces[i];
    if (!isLacking(plan, workspace)) continue;
    ContextScope scope(device);
    CUdeviceptr address = 0;
    const CUresult result =
        device.driver().cuMemAllocFromPoolAsync(&address, allocatedBytes(workspace), device.pool(), stream);
    if (result != CUDA_SUCCESS)
      device.check(result, "allocate " + std::to_string(workspace.bytes) + " bytes of workspace '" +
                               workspace.argument + "' in a stream's order");
    addresses_.push_back(address);
    plan.provideWorkspace(i, aligned(address, workspace.alignment));
    if (workspace.zeroing == WorkspaceZeroing::Once) clearWorkspace(device, workspace, stream);
  }
}

StreamWorkspaces::~StreamWorkspaces() {
  if (addresses_.empty()) return;
  ContextScope scope(device_);
  for (CUdeviceptr address : addresses_)
    device_.driver().cuMemFreeAsync(address, stream_);
}

} // namespace mxc
