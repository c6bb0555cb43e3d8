#include "runtime/launch/RepeatedLaunch.h"

#include <algorithm>
#include <cstring>

namespace mxc {

static constexpr size_t kMostKept = 16;

/// Every alignment of the ABI is a power of two; the conditions on an address are those on its low bits.
static uint64_t lowBitsThatMatter(const KernelAbi &kernel) {
  int64_t most = 16; // of an element's alignment, too
  for (const AbiArgument &argument : kernel.arguments)
    most = std::max(most, argument.alignment);
  for (const AbiVariant &variant : kernel.variants)
    for (const AbiAlignment &alignment : variant.alignments)
      most = std::max(most, alignment.bytes);
  return static_cast<uint64_t>(most) - 1;
}

RepeatedLaunch::RepeatedLaunch(const KernelAbi &kernel, const Arguments &arguments,
                               const LaunchOptions &options, LaunchPlan plan)
    : kernel_(kernel), variant_(options.variant), pdl_(options.pdl), plan_(std::move(plan)),
      lowBits_(lowBitsThatMatter(kernel)) {
  places_.reserve(arguments.size());
  for (const Argument &argument : arguments) {
    const auto abi = std::ranges::find(kernel.arguments, argument.name, &AbiArgument::name);
    Place &place = places_.emplace_back(argument, static_cast<size_t>(abi - kernel.arguments.begin()));
    if (!argument.value) findUses(place, argument.name);
  }
  for (size_t i = 0; i < plan_.workspaces.size(); ++i)
    if (plan_.workspaces[i].address == 0) provided_.push_back(i);
}

void RepeatedLaunch::findUses(Place &place, const std::string &name) {
  plan_.forEachLaunch([&](PlannedLaunch &planned) {
    for (TensorMapRequest &map : planned.tensorMaps)
      if (map.argument == name) place.maps.push_back(&map);
    const std::vector<AbiParameter> &parameters = planned.launch->parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].kind == AbiParameter::Kind::Pointer && parameters[i].name == name)
        place.parameters.push_back(&planned.parameterBytes[planned.parameterOffsets[i]]);
  });
  for (WorkspaceRequest &workspace : plan_.workspaces)
    if (workspace.argument == name) place.workspace = &workspace;
}

bool RepeatedLaunch::takes(const KernelAbi &kernel, const Arguments &arguments,
                           const LaunchOptions &options) {
  if (&kernel != &kernel_ || options.pdl != pdl_ || options.variant != variant_ || !agrees(arguments) ||
      !mayLieThere(arguments))
    return false;
  for (size_t i = 0; i < arguments.size(); ++i)
    move(places_[i], arguments[i].view.address);
  return true;
}

static bool isSameValue(const Argument &a, const Argument &b) {
  if (!a.value || !b.value) return !a.value && !b.value;
  if (a.value->index() != b.value->index()) return false;
  if (const auto *integer = std::get_if<int64_t>(&*a.value)) return *integer == std::get<int64_t>(*b.value);
  const double x = std::get<double>(*a.value), y = std::get<double>(*b.value);
  return std::memcmp(&x, &y, sizeof x) == 0; // -0 is another one than 0
}

bool RepeatedLaunch::agrees(const Arguments &arguments) const {
  return std::ranges::equal(arguments, places_, [](const Argument &given, const Place &place) {
    const Argument &known = place.argument;
    return given.name == known.name && given.view.type == known.view.type &&
           given.view.shape == known.view.shape && given.view.strides == known.view.strides &&
           isSameValue(given, known);
  });
}

bool RepeatedLaunch::mayLieThere(const Arguments &arguments) {
  std::vector<ArgumentRange> &ranges = plan_.ranges;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Place &place = places_[i];
    const uint64_t address = arguments[i].view.address;
    ArgumentRange &range = ranges[place.range];
    if ((address ^ place.argument.view.address) & lowBits_) return false;
    if (range.bytes && (address == 0 || address > UINT64_MAX - static_cast<uint64_t>(range.bytes)))
      return false;
    range.address = address;
  }
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = 0; j < ranges.size(); ++j)
      if (i != j && ranges[i].isWritten && ranges[i].meets(ranges[j])) return false;
  return true;
}

void RepeatedLaunch::move(Place &place, uint64_t address) {
  uint64_t &known = place.argument.view.address;
  if (address == known) return;
  for (std::byte *parameter : place.parameters)
    std::memcpy(parameter, &address, sizeof address);
  for (TensorMapRequest *map : place.maps)
    map->address += address - known; // a view may begin beside its argument
  if (place.workspace) place.workspace->address = address;
  known = address;
}

const DriverLaunches &RepeatedLaunch::ready(const Device &device, EntryTable &entries) {
  if (launches_)
    launches_->encodeMaps();
  else
    launches_.emplace(device, entries, plan_, pdl_);
  return *launches_;
}

void RepeatedLaunch::forgetWorkspaces() {
  for (const size_t workspace : provided_)
    plan_.provideWorkspace(workspace, 0);
}

std::unique_ptr<RepeatedLaunch> RepeatedLaunches::take(const KernelAbi &kernel, const Arguments &arguments,
                                                       const LaunchOptions &options) {
  std::lock_guard lock(mutex_);
  for (size_t i = kept_.size(); i-- > 0;) {
    if (!kept_[i]->takes(kernel, arguments, options)) continue;
    std::unique_ptr<RepeatedLaunch> taken = std::move(kept_[i]);
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }
  return nullptr;
}

void RepeatedLaunches::keep(std::unique_ptr<RepeatedLaunch> launch) {
  std::unique_ptr<RepeatedLaunch> oldest; // destroyed after the lock
  launch->forgetWorkspaces();
  std::lock_guard lock(mutex_);
  if (kept_.size() == kMostKept) {
    oldest = std::move(kept_.front());
    kept_.erase(kept_.begin());
  }
  kept_.push_back(std::move(launch));
}

} // namespace mxc
