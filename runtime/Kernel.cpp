#include "runtime/Kernel.h"

#include "runtime/EntryTable.h"
#include "runtime/RowContracts.h"
#include "runtime/TensorMap.h"
#include "runtime/WorkspaceMemory.h"

namespace mxc {

struct PreparedLaunch::State {
  State(const Module &module, LaunchPlan &&plan) : module(module), plan(std::move(plan)) {}

  Module module;
  LaunchPlan plan;
  CUfunction function = nullptr;
  std::vector<void *> parameters; // into plan.parameterBytes
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config = {};
  std::string attempted;                 // for messages
  std::vector<WorkspaceRequest> cleared; // before each launch
  std::optional<RowContracts> contracts; // on a simulator
  std::vector<Buffer> workspaces;        // that the caller did not give
};

PreparedLaunch::PreparedLaunch(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedLaunch::PreparedLaunch(PreparedLaunch &&) noexcept = default;
PreparedLaunch &PreparedLaunch::operator=(PreparedLaunch &&) noexcept = default;
PreparedLaunch::~PreparedLaunch() = default;

const LaunchPlan &PreparedLaunch::plan() const { return state_->plan; }

void PreparedLaunch::launch(CUstream stream) const {
  const State &s = *state_;
  if (s.plan.isEmpty()) return;
  const Device &device = s.module.device();
  CUlaunchConfig config = s.config;
  config.hStream = stream;
  ContextScope scope(device);
  if (s.contracts) s.contracts->check(device, stream);
  for (const WorkspaceRequest &workspace : s.cleared)
    clearWorkspace(device, workspace, stream);
  // The driver reads the parameters during the call and does not write them.
  device.check(device.driver().cuLaunchKernelEx(&config, s.function, const_cast<void **>(s.parameters.data()),
                                                nullptr),
               s.attempted);
}

/// Raises the function's limits to what the variant asks for. The driver keeps them; setting them again
/// changes nothing.
static void raiseLimits(const Device &device, const LaunchPlan &plan, CUfunction function,
                        const std::string &attempted) {
  const Driver &driver = device.driver();
  if (plan.sharedBytes > static_cast<uint32_t>(device.limits().sharedBytesPerBlock)) {
    if (plan.sharedBytes > static_cast<uint32_t>(device.limits().sharedBytesPerBlockOptIn))
      throw Error(ErrorKind::Device, "cannot " + attempted + " on " + device.name() + ": it needs " +
                                         std::to_string(plan.sharedBytes) + " bytes of shared memory, " +
                                         device.model() + " has " +
                                         std::to_string(device.limits().sharedBytesPerBlockOptIn) +
                                         " a block; choose a smaller tile");
    device.check(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           static_cast<int>(plan.sharedBytes)),
                 attempted);
  }
  constexpr uint32_t kPortableClusterSize = 8; // CUDA programming guide, thread block clusters
  if (plan.cluster[0] * plan.cluster[1] * plan.cluster[2] > kPortableClusterSize)
    device.check(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                 attempted);
}

LaunchPlan Kernel::plan(const Arguments &arguments, const LaunchOptions &options) const {
  return planLaunch(
      *abi_, arguments,
      {.dimensions = {}, .deviceFacts = module_.state_->deviceFacts, .variant = options.variant});
}

/// Encodes the tensor maps and fills in what the driver is called with.
std::unique_ptr<PreparedLaunch::State> Kernel::ready(LaunchPlan plan, const Arguments &arguments,
                                                     bool pdl) const {
  auto state = std::make_unique<PreparedLaunch::State>(module_, std::move(plan));
  PreparedLaunch::State &s = *state;
  s.attempted = "launch " + s.plan.variant->entry;
  if (s.plan.isEmpty()) return state;

  const Device &device = module_.device();
  if (!device.driver().takesCubins) // a simulator
    s.contracts.emplace(*abi_, arguments, s.plan.dimensions);
  ContextScope scope(device);
  s.function = module_.state_->entries->function(s.plan);
  raiseLimits(device, s.plan, s.function, s.attempted);

  for (const TensorMapRequest &request : s.plan.tensorMaps)
    encodeTensorMap(device, request, &s.plan.parameterBytes[request.parameterOffset]);
  for (size_t offset : s.plan.parameterOffsets)
    s.parameters.push_back(&s.plan.parameterBytes[offset]);
  for (const WorkspaceRequest &workspace : s.plan.workspaces)
    if (workspace.zeroing == WorkspaceZeroing::EachLaunch) s.cleared.push_back(workspace);

  const LaunchPlan &p = s.plan;
  unsigned attributes = 0;
  if (p.cluster[0] * p.cluster[1] * p.cluster[2] > 1) {
    CUlaunchAttribute &cluster = s.attributes[attributes++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {p.cluster[0], p.cluster[1], p.cluster[2]};
  }
  if (pdl) {
    CUlaunchAttribute &serialization = s.attributes[attributes++];
    serialization.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    serialization.value.programmaticStreamSerializationAllowed = 1;
  }
  s.config = {p.grid[0],     p.grid[1],  p.grid[2],
              p.block[0],    p.block[1], p.block[2],
              p.sharedBytes, nullptr,    attributes ? s.attributes : nullptr,
              attributes};
  return state;
}

PreparedLaunch Kernel::prepare(const Arguments &arguments, const LaunchOptions &options) const {
  LaunchPlan plan = this->plan(arguments, options);
  std::vector<Buffer> workspaces = ownedWorkspaces(module_.device(), plan);
  std::unique_ptr<PreparedLaunch::State> state = ready(std::move(plan), arguments, options.pdl);
  state->workspaces = std::move(workspaces);
  return PreparedLaunch(std::move(state));
}

void Kernel::launch(const Arguments &arguments, const LaunchOptions &options) const {
  LaunchPlan plan = this->plan(arguments, options);
  StreamWorkspaces workspaces(module_.device(), plan, options.stream); // freed behind the launch
  PreparedLaunch(ready(std::move(plan), arguments, options.pdl)).launch(options.stream);
}

} // namespace mxc
