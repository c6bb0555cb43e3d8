#include "runtime/launch/DriverLaunch.h"

#include "runtime/launch/TensorMap.h"
#include "runtime/launch/WorkspaceMemory.h"

namespace mxc {

static std::string attempted(const PlannedLaunch &planned) { return "launch " + planned.launch->entry; }

/// Raises the function's limits to what the launch asks for. The driver keeps them; setting them again
/// changes nothing.
static void raiseLimits(const Device &device, const PlannedLaunch &plan, CUfunction function) {
  const Driver &driver = device.driver();
  const auto raise = [&](CUfunction_attribute limit, int value) {
    const CUresult result = driver.cuFuncSetAttribute(function, limit, value);
    if (result != CUDA_SUCCESS) device.check(result, attempted(plan));
  };
  if (plan.sharedBytes > static_cast<uint32_t>(device.limits().sharedBytesPerBlock)) {
    if (plan.sharedBytes > static_cast<uint32_t>(device.limits().sharedBytesPerBlockOptIn))
      throw Error(ErrorKind::Device, "cannot " + attempted(plan) + " on " + device.name() + ": it needs " +
                                         std::to_string(plan.sharedBytes) + " bytes of shared memory, " +
                                         device.model() + " has " +
                                         std::to_string(device.limits().sharedBytesPerBlockOptIn) +
                                         " a block; choose a smaller tile");
    raise(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(plan.sharedBytes));
  }
  constexpr uint32_t kPortableClusterSize = 8; // CUDA programming guide, thread block clusters
  if (plan.clusterSize() > kPortableClusterSize)
    raise(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

DriverLaunch::DriverLaunch(const Device &device, EntryTable &entries, PlannedLaunch &plan, bool pdl)
    : device_(device), plan_(plan), function_(entries.function(plan)) {
  raiseLimits(device, plan, function_);
  encodeMaps();
  parameters_.reserve(plan.parameterOffsets.size());
  for (size_t offset : plan.parameterOffsets)
    parameters_.push_back(&plan.parameterBytes[offset]);
  if (plan.clusterSize() > 1) {
    CUlaunchAttribute &cluster = attributes_[attributeCount_++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {plan.cluster[0], plan.cluster[1], plan.cluster[2]};
  }
  if (pdl) {
    CUlaunchAttribute &serialization = attributes_[attributeCount_++];
    serialization.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    serialization.value.programmaticStreamSerializationAllowed = 1;
  }
}

void DriverLaunch::encodeMaps() {
  const std::vector<TensorMapRequest> &maps = plan_.tensorMaps;
  const bool isFirst = encoded_.size() != maps.size();
  encoded_.resize(maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    if (!isFirst && encoded_[i] == maps[i].address) continue;
    encodeTensorMap(device_, maps[i], &plan_.parameterBytes[maps[i].parameterOffset]);
    encoded_[i] = maps[i].address;
  }
}

void DriverLaunch::enqueue(CUstream stream) const {
  // The driver reads attributes and parameters during the call and does not write them.
  const CUlaunchConfig config = {plan_.grid[0],
                                 plan_.grid[1],
                                 plan_.grid[2],
                                 plan_.block[0],
                                 plan_.block[1],
                                 plan_.block[2],
                                 plan_.sharedBytes,
                                 stream,
                                 attributeCount_ ? const_cast<CUlaunchAttribute *>(attributes_) : nullptr,
                                 attributeCount_};
  const CUresult result =
      device_.driver().cuLaunchKernelEx(&config, function_, const_cast<void **>(parameters_.data()), nullptr);
  if (result != CUDA_SUCCESS) device_.check(result, attempted(plan_));
}

DriverLaunches::DriverLaunches(const Device &device, EntryTable &entries, LaunchPlan &plan, bool pdl)
    : device_(device), workspaces_(plan.workspaces) {
  if (!plan.PlannedLaunch::isEmpty()) first_.emplace(device, entries, plan, pdl);
  following_.reserve(plan.following.size());
  for (PlannedLaunch &planned : plan.following)
    if (!planned.isEmpty()) following_.emplace_back(device, entries, planned, /*pdl=*/true);
}

void DriverLaunches::encodeMaps() {
  if (first_) first_->encodeMaps();
  for (DriverLaunch &launch : following_)
    launch.encodeMaps();
}

void DriverLaunches::enqueue(CUstream stream) const {
  for (const WorkspaceRequest &workspace : workspaces_)
    if (workspace.zeroing == WorkspaceZeroing::EachLaunch) clearWorkspace(device_, workspace, stream);
  if (first_) first_->enqueue(stream);
  for (const DriverLaunch &launch : following_)
    launch.enqueue(stream);
}

} // namespace mxc
