#include "runtime/launch/Kernel.h"

#include "runtime/launch/EntryTable.h"
#include "runtime/launch/RowContracts.h"
#include "runtime/launch/TensorMap.h"
#include "runtime/launch/WorkspaceMemory.h"

namespace mxc {

static bool isSimulated(const Device &device) { return !device.driver().takesCubins; }
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

/// What the driver is called with for a launch that is not empty. It points into the launch's plan.
class DriverLaunch {
public:
  /// Encodes the tensor maps. The device's context is current.
  DriverLaunch(const Device &device, EntryTable &entries, PlannedLaunch &plan, bool pdl)
      : device_(device), plan_(plan), function_(entries.function(plan)) {
    raiseLimits(device, plan, function_);
    for (const TensorMapRequest &request : plan.tensorMaps)
      encodeTensorMap(device, request, &plan.parameterBytes[request.parameterOffset]);
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

  void enqueue(CUstream stream) const {
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
    const CUresult result = device_.driver().cuLaunchKernelEx(
        &config, function_, const_cast<void **>(parameters_.data()), nullptr);
    if (result != CUDA_SUCCESS) device_.check(result, attempted(plan_));
  }

private:
  const Device &device_;
  const PlannedLaunch &plan_;
  CUfunction function_;
  std::vector<void *> parameters_; // into plan_.parameterBytes
  CUlaunchAttribute attributes_[2] = {};
  unsigned attributeCount_ = 0;
};

/// Enqueues all launches of a plan. Each later one may start before the one ahead of it has ended: its entry
/// waits.
class DriverLaunches {
public:
  DriverLaunches(const Device &device, EntryTable &entries, LaunchPlan &plan, bool pdl)
      : device_(device), workspaces_(plan.workspaces) {
    if (!plan.PlannedLaunch::isEmpty()) first_.emplace(device, entries, plan, pdl);
    for (PlannedLaunch &planned : plan.following)
      if (!planned.isEmpty()) following_.emplace_back(device, entries, planned, /*pdl=*/true);
  }

  /// Enqueues the zeroing of workspaces, and the launches.
  void enqueue(CUstream stream) const {
    for (const WorkspaceRequest &workspace : workspaces_)
      if (workspace.zeroing == WorkspaceZeroing::EachLaunch) clearWorkspace(device_, workspace, stream);
    if (first_) first_->enqueue(stream);
    for (const DriverLaunch &launch : following_)
      launch.enqueue(stream);
  }

private:
  const Device &device_;
  const std::vector<WorkspaceRequest> &workspaces_; // the plan's
  std::optional<DriverLaunch> first_;
  std::vector<DriverLaunch> following_;
};

struct PreparedLaunch::State {
  Module module;
  LaunchPlan plan;
  std::vector<Buffer> workspaces;             // that the caller did not give
  std::optional<RowContracts> contracts = {}; // on a simulator
  std::optional<DriverLaunches> launch = {};  // nothing of empty grids
};

PreparedLaunch::PreparedLaunch(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedLaunch::PreparedLaunch(PreparedLaunch &&) noexcept = default;
PreparedLaunch &PreparedLaunch::operator=(PreparedLaunch &&) noexcept = default;
PreparedLaunch::~PreparedLaunch() = default;

const LaunchPlan &PreparedLaunch::plan() const { return state_->plan; }

void PreparedLaunch::launch(CUstream stream) const {
  if (!state_->launch) return;
  const Device &device = state_->module.device();
  ContextScope scope(device);
  if (state_->contracts) state_->contracts->check(device, stream);
  state_->launch->enqueue(stream);
}

LaunchPlan Kernel::plan(const Arguments &arguments, const LaunchOptions &options) const {
  return planLaunch(
      *abi_, arguments,
      {.dimensions = {}, .deviceFacts = &module_.state_->deviceFacts, .variant = options.variant});
}

int64_t Kernel::workspaceBytes(const AbiArgument &workspace, Dimensions dimensions) const {
  for (const auto &fact : module_.state_->deviceFacts)
    dimensions.insert(fact);
  return mxc::workspaceBytes(*abi_, workspace, dimensions);
}

PreparedLaunch Kernel::prepare(const Arguments &arguments, const LaunchOptions &options) const {
  const Device &device = module_.device();
  LaunchPlan plan = this->plan(arguments, options);
  std::vector<Buffer> workspaces = ownedWorkspaces(device, plan);
  std::unique_ptr<PreparedLaunch::State> state(
      new PreparedLaunch::State{module_, std::move(plan), std::move(workspaces)});
  if (!state->plan.isEmpty()) {
    if (isSimulated(device)) state->contracts.emplace(*abi_, arguments, state->plan.dimensions);
    ContextScope scope(device);
    state->launch.emplace(state->module.device(), *module_.state_->entries, state->plan, options.pdl);
  }
  return PreparedLaunch(std::move(state));
}

void Kernel::launch(const Arguments &arguments, const LaunchOptions &options) const {
  const Device &device = module_.device();
  LaunchPlan plan = this->plan(arguments, options);
  if (plan.isEmpty()) return;
  ContextScope scope(device);
  StreamWorkspaces workspaces(device, plan, options.stream); // freed after the launch
  const DriverLaunches launches(device, *module_.state_->entries, plan, options.pdl);
  if (isSimulated(device)) RowContracts(*abi_, arguments, plan.dimensions).check(device, options.stream);
  launches.enqueue(options.stream);
}

} // namespace mxc
