#include "runtime/launch/LaunchPlan.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace mxc {

namespace {
class Planner {
public:
  Planner(const KernelAbi &kernel, const Arguments &arguments, const PlanOptions &options)
      : kernel_(kernel), values_(solveDimensions(kernel, arguments, options.dimensions)) {
    bound_ = bindArguments(kernel, arguments, values_);
    plan_.ranges.reserve(bound_.size());
    for (const BoundArgument &argument : bound_)
      plan_.ranges.push_back(argument.range());
    static const Dimensions kNone;
    const Dimensions &deviceFacts = options.deviceFacts ? *options.deviceFacts : kNone;
    for (const auto &fact : deviceFacts)
      values_.insert(fact);
    plan_.variant = &chooseVariant(options.variant);
    plan_.following.resize(plan_.variant->following.size());
    plan_.launch = plan_.variant;
    for (size_t i = 0; i < plan_.following.size(); ++i)
      plan_.following[i].launch = &plan_.variant->following[i];
    plan_.forEachLaunch([&](PlannedLaunch &launch) { layOut(launch); });
    for (const auto &fact : deviceFacts)
      values_.erase(fact.first);
    plan_.dimensions = std::move(values_);
  }
  LaunchPlan take() { return std::move(plan_); }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "': " + what);
  }

  const BoundArgument &bound(const std::string &argument) const {
    for (const BoundArgument &candidate : bound_)
      if (candidate.abi->name == argument) return candidate;
    refuse("damaged ABI: it refers to an argument '" + argument + "' that the kernel lacks");
  }

  /// Returns an expression's value; errors call it `what`.
  template <typename What>
  int64_t evaluate(const ShapeExpression &expression, int64_t ifEmpty, What what) const {
    return evaluateFor([&] { return "kernel '" + kernel_.name + "': " + what(); }, expression, values_,
                       ifEmpty);
  }

  const AbiVariant &chooseVariant(std::optional<size_t> forced) const {
    const std::vector<AbiVariant> &all = kernel_.variants;
    if (forced && *forced >= all.size())
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "' has no variant " +
                                               std::to_string(*forced) + "; it has " +
                                               std::to_string(all.size()) + ", counted from 0");
    std::span<const AbiVariant> tried = all;
    if (forced) tried = tried.subspan(*forced, 1);
    for (const AbiVariant &variant : tried)
      if (fits(variant)) return variant;
    std::string reasons;
    for (const AbiVariant &variant : tried)
      reasons += "\n  " + variant.entry + ": " + whyNot(variant);
    refuse("no variant takes this call" + (reasons.empty() ? ": the ABI holds none" : ":" + reasons));
  }

  bool holds(const AbiVariant &variant) const {
    return evaluate(variant.when, 1, [&] { return "variant " + variant.entry + ": condition"; }) != 0;
  }

  /// Whether it may be launched. Most calls skip variants that do not fit, so the reasons become text only if
  /// none does.
  bool fits(const AbiVariant &variant) const {
    return holds(variant) && std::ranges::none_of(variant.alignments, [&](const AbiAlignment &alignment) {
             const BoundArgument &argument = bound(alignment.argument);
             if (alignment.bytes <= 0) refuse("damaged ABI: alignment " + std::to_string(alignment.bytes));
             return unaligned(argument, alignment.bytes).has_value();
           });
  }

  std::string whyNot(const AbiVariant &variant) const {
    if (!holds(variant)) {
      std::string sizes;
      for (const auto &[name, size] : values_)
        sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(size);
      return "needs " + variant.when.text() + ", but " + (sizes.empty() ? "there are no dimensions" : sizes);
    }
    for (const AbiAlignment &alignment : variant.alignments)
      if (const std::optional<size_t> part = unaligned(bound(alignment.argument), alignment.bytes))
        return unalignedText(bound(alignment.argument), *part, alignment.bytes);
    return {};
  }

  static constexpr size_t kAddress = ~size_t(0);

  /// Names the part of an argument that is no multiple of `bytes`: its address, or the stride of a dimension.
  static std::optional<size_t> unaligned(const BoundArgument &argument, int64_t bytes) {
    if (argument.address() % static_cast<uint64_t>(bytes)) return kAddress;
    if (argument.rank < 2) return std::nullopt;
    const size_t innermost = argument.abi->innermost();
    for (size_t i = 0; i < argument.rank; ++i)
      if (i != innermost && argument.hasStride(i) && argument.strideBytes(i) % bytes) return i;
    return std::nullopt;
  }

  static std::string unalignedText(const BoundArgument &argument, size_t part, int64_t bytes) {
    const std::string multiple = " is not a multiple of " + std::to_string(bytes) + " bytes";
    if (part == kAddress)
      return "address of '" + argument.abi->name + "' (remainder " +
             std::to_string(argument.address() % static_cast<uint64_t>(bytes)) + ")" + multiple;
    return (part + 2 == argument.rank ? "row stride" : "stride " + std::to_string(part)) + " of '" +
           argument.abi->name + "', " + std::to_string(argument.strideBytes(part)) + " bytes," + multiple;
  }

  void layOut(PlannedLaunch &launch) {
    launch_ = &launch;
    layOutGrid();
    reserveParameters();
    for (const AbiParameter &parameter : launch.launch->parameters)
      addParameter(parameter);
  }

  void layOutGrid() {
    static constexpr int64_t kLimits[3] = {2147483647, 65535,
                                           65535}; // CUDA programming guide, technical specifications
    const AbiLaunch &launch = *launch_->launch;
    launch_->sharedBytes = launch.sharedBytes;
    for (int i = 0; i < 3; ++i) {
      const auto what = [&] { return std::string("grid ") + "xyz"[i]; };
      const int64_t grid = evaluate(launch.grid[i], 1, what);
      if (grid < 0 || grid > kLimits[i])
        refuse(what() + ": expected 0 to " + std::to_string(kLimits[i]) + ", found " + std::to_string(grid) +
               " (" + launch.grid[i].text() + ")");
      if (launch.block[i] == 0 || launch.cluster[i] == 0) refuse("damaged ABI: block or cluster of size 0");
      launch_->grid[i] = static_cast<uint32_t>(grid);
      launch_->block[i] = launch.block[i];
      launch_->cluster[i] = launch.cluster[i];
      if (launch_->grid[i] % launch_->cluster[i])
        refuse(what() + ": expected a multiple of the cluster's " + std::to_string(launch_->cluster[i]) +
               ", found " + std::to_string(grid));
    }
  }

  void reserveParameters() {
    const std::vector<AbiParameter> &parameters = launch_->launch->parameters;
    const auto isMap = [](const AbiParameter &p) { return p.kind == AbiParameter::Kind::TensorMap; };
    const size_t maps = static_cast<size_t>(std::ranges::count_if(parameters, isMap));
    launch_->parameterBytes.reserve(parameters.size() * 8 + maps * (128 + 64)); // a map with its padding
    launch_->parameterOffsets.reserve(parameters.size());
    launch_->parameterSizes.reserve(parameters.size());
    launch_->tensorMaps.reserve(maps);
  }

  size_t reserve(size_t bytes, size_t alignment) {
    size_t offset = (launch_->parameterBytes.size() + alignment - 1) / alignment * alignment;
    launch_->parameterBytes.resize(offset + bytes);
    launch_->parameterOffsets.push_back(offset);
    launch_->parameterSizes.push_back(bytes);
    return offset;
  }

  void addValue(uint64_t value,
                size_t bytes = 8) { // hosts of NVIDIA GPUs are little endian, as the devices are
    size_t offset = reserve(bytes, bytes);
    std::memcpy(&launch_->parameterBytes[offset], &value, bytes);
  }

  void addParameter(const AbiParameter &parameter) {
    using Kind = AbiParameter::Kind;
    if (parameter.kind == Kind::Dimension) {
      auto found = values_.find(parameter.name);
      if (found == values_.end())
        refuse("damaged ABI: it refers to a dimension '" + parameter.name + "' that the kernel lacks");
      return addValue(static_cast<uint64_t>(found->second));
    }
    if (parameter.kind == Kind::TensorMap) return addTensorMap(parameter.tensorMap);
    const BoundArgument &argument = bound(parameter.name);
    switch (parameter.kind) {
    case Kind::Pointer:
      if (argument.abi->kind == ArgumentKind::Scalar) break;
      if (argument.abi->kind == ArgumentKind::Workspace) needWorkspace(argument);
      return addValue(argument.address());
    case Kind::Stride:
      if (parameter.dimension >= argument.rank) break;
      return addValue(static_cast<uint64_t>(argument.strides[parameter.dimension]));
    case Kind::Scalar:
      if (argument.abi->kind != ArgumentKind::Scalar) break;
      return addValue(argument.scalar, argument.abi->type == "i64" ? 8 : 4);
    default:
      break;
    }
    refuse("damaged ABI: argument '" + parameter.name + "' is not of the kind that its parameter is");
  }

  /// Called once for each workspace that a parameter names.
  void needWorkspace(const BoundArgument &argument) {
    const AbiArgument &abi = *argument.abi;
    for (const WorkspaceRequest &known : plan_.workspaces)
      if (known.argument == abi.name) return;
    const int64_t bytes = workspaceBytes(kernel_, abi, values_);
    if (bytes == 0) return;
    if (argument.view) checkWorkspace(argument, bytes);
    plan_.workspaces.push_back({abi.name, argument.address(), bytes, abi.alignment, abi.zeroing});
  }

  void checkWorkspace(const BoundArgument &given, int64_t bytes) const {
    const std::string name = "workspace '" + given.abi->name + "': ";
    if (given.bytes < bytes)
      refuse(name + "expected at least " + std::to_string(bytes) + " bytes (" + given.abi->bytes.text() +
             "), found " + std::to_string(given.bytes));
    if (given.address() == 0)
      refuse(name + "null address for " + std::to_string(bytes) +
             " bytes; left out, the runtime provides them");
    const int64_t alignment = std::max<int64_t>(given.abi->alignment, 1);
    if (const uint64_t remainder = given.address() % static_cast<uint64_t>(alignment))
      refuse(name + "expected an address that is a multiple of " + std::to_string(alignment) +
             " bytes, found one with the remainder " + std::to_string(remainder));
  }

  void addTensorMap(const TensorMapRecipe &recipe) {
    const BoundArgument &argument = bound(recipe.argument);
    const auto what = [&] { return "tensor map of '" + recipe.argument + "'"; };
    const size_t rank = recipe.sizes.size();
    if (rank < 1 || rank > 5 || recipe.strides.size() != rank - 1 || recipe.box.size() != rank ||
        recipe.elementStrides.size() != rank || argument.abi->kind == ArgumentKind::Scalar)
      refuse("damaged ABI: " + what() + ": expected 1 to 5 dimensions, each with a box and strides");
    if (argument.abi->kind == ArgumentKind::Workspace) needWorkspace(argument);
    for (size_t i = 0; i < argument.rank; ++i)
      values_[kStrideNames[i]] = argument.strides[i];
    const auto natural = [&](const ShapeExpression &expression) {
      const int64_t value = evaluate(expression, 0, what);
      if (value < 0) refuse(what() + ": " + expression.text() + " is negative: " + std::to_string(value));
      return static_cast<uint64_t>(value);
    };
    TensorMapRequest &request = launch_->tensorMaps.emplace_back();
    request.parameterOffset = reserve(128, 64);
    request.argument = recipe.argument;
    // Addresses wrap modulo 2^64: a view may begin in front of its argument.
    request.address = argument.address() + static_cast<uint64_t>(evaluate(recipe.offset, 0, what));
    request.type = recipe.type;
    request.rank = static_cast<uint32_t>(rank);
    std::transform(recipe.sizes.begin(), recipe.sizes.end(), request.sizes.begin(), natural);
    std::transform(recipe.strides.begin(), recipe.strides.end(), request.strides.begin(), natural);
    std::copy(recipe.box.begin(), recipe.box.end(), request.box.begin());
    std::copy(recipe.elementStrides.begin(), recipe.elementStrides.end(), request.elementStrides.begin());
    request.swizzle = recipe.swizzle;
    request.promotion = recipe.promotion;
    request.fill = recipe.fill;
    for (size_t i = 0; i < argument.rank; ++i)
      values_.erase(kStrideNames[i]);
  }

  static constexpr std::string_view kStrideNames[] = {"stride0", "stride1", "stride2", "stride3", "stride4"};

  const KernelAbi &kernel_;
  Dimensions values_; // dimensions, device facts and, for a tensor map, strides
  std::vector<BoundArgument> bound_;
  LaunchPlan plan_;
  PlannedLaunch *launch_ = nullptr; // of the plan, that is being laid out
};
} // namespace

void LaunchPlan::provideWorkspace(size_t workspace, uint64_t address) {
  WorkspaceRequest &request = workspaces[workspace];
  forEachLaunch([&](PlannedLaunch &planned) {
    for (TensorMapRequest &map : planned.tensorMaps)
      if (map.argument == request.argument) map.address += address - request.address;
    const std::vector<AbiParameter> &parameters = planned.launch->parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].kind == AbiParameter::Kind::Pointer && parameters[i].name == request.argument)
        std::memcpy(&planned.parameterBytes[planned.parameterOffsets[i]], &address, sizeof address);
  });
  request.address = address;
}

int64_t workspaceBytes(const KernelAbi &kernel, const AbiArgument &workspace, const Dimensions &values) {
  const auto name = [&] { return "kernel '" + kernel.name + "': workspace '" + workspace.name + "': "; };
  const int64_t bytes = evaluateFor([&] { return name() + "bytes"; }, workspace.bytes, values, 0);
  if (bytes < 0)
    throw Error(ErrorKind::InvalidInput,
                name() + workspace.bytes.text() + " is negative: " + std::to_string(bytes));
  return bytes;
}

LaunchPlan planLaunch(const KernelAbi &kernel, const Arguments &arguments, const PlanOptions &options) {
  return Planner(kernel, arguments, options).take();
}

} // namespace mxc
