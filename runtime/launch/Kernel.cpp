#include "runtime/launch/Kernel.h"

#include "runtime/launch/DriverLaunch.h"
#include "runtime/launch/RepeatedLaunch.h"
#include "runtime/launch/RowContracts.h"
#include "runtime/launch/WorkspaceMemory.h"

namespace mxc {

static bool isSimulated(const Device &device) { return !device.driver().takesCubins; }

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
  return planLaunch(*abi_, arguments,
                    {.dimensions = options.dimensions,
                     .deviceFacts = &module_.state_->deviceFacts,
                     .variant = options.variant});
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
  RepeatedLaunches &known = *module_.state_->repeated;
  const bool isKnown = options.dimensions.empty(); // by its arguments alone
  std::unique_ptr<RepeatedLaunch> launch = isKnown ? known.take(*abi_, arguments, options) : nullptr;
  if (!launch) {
    LaunchPlan plan = this->plan(arguments, options);
    if (plan.isEmpty()) return;
    launch = std::make_unique<RepeatedLaunch>(*abi_, arguments, options, std::move(plan));
  }
  ContextScope scope(device);
  {
    StreamWorkspaces workspaces(device, launch->plan(), options.stream); // freed after the launch
    const DriverLaunches &launches = launch->ready(device, *module_.state_->entries);
    if (isSimulated(device))
      RowContracts(*abi_, arguments, launch->plan().dimensions).check(device, options.stream);
    launches.enqueue(options.stream);
  }
  if (isKnown) known.keep(std::move(launch));
}

} // namespace mxc
