#include "runtime/LaunchPlan.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <cstring>

namespace mxc {

namespace {
class Planner {
public:
  Planner(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given) : kernel_(kernel) {
    plan_.dimensions = solveDimensions(kernel, arguments, given);
    bound_ = bindArguments(kernel, arguments, plan_.dimensions);
    plan_.variant = &chooseVariant();
    layOutGrid();
    for (const AbiParameter &parameter : plan_.variant->parameters)
      addParameter(parameter);
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

  const AbiVariant &chooseVariant() const {
    std::string reasons;
    for (const AbiVariant &variant : kernel_.variants) {
      std::string reason = whyNot(variant);
      if (reason.empty()) return variant;
      reasons += "\n  " + variant.entry + ": " + reason;
    }
    refuse("no variant takes this call" + (reasons.empty() ? ": the ABI holds none" : ":" + reasons));
  }

  /// Empty if the variant may be launched.
  std::string whyNot(const AbiVariant &variant) const {
    if (evaluateFor("kernel '" + kernel_.name + "': variant " + variant.entry + ": condition", variant.when,
                    plan_.dimensions, 1) == 0) {
      std::string sizes;
      for (const auto &[name, size] : plan_.dimensions)
        sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(size);
      return "needs " + variant.when + ", but " + (sizes.empty() ? "there are no dimensions" : sizes);
    }
    for (const AbiAlignment &alignment : variant.alignments) {
      const BoundArgument &argument = bound(alignment.argument);
      if (alignment.bytes <= 0) refuse("damaged ABI: alignment " + std::to_string(alignment.bytes));
      std::string multiple = " is not a multiple of " + std::to_string(alignment.bytes) + " bytes";
      if (argument.view->address % static_cast<uint64_t>(alignment.bytes))
        return "address of '" + alignment.argument + "' (remainder " +
               std::to_string(argument.view->address % static_cast<uint64_t>(alignment.bytes)) + ")" +
               multiple;
      if (argument.hasRowStride() && argument.rowStrideBytes() % alignment.bytes)
        return "row stride of '" + alignment.argument + "', " + std::to_string(argument.rowStrideBytes()) +
               " bytes," + multiple;
    }
    return {};
  }

  void layOutGrid() {
    static constexpr int64_t kLimits[3] = {2147483647, 65535,
                                           65535}; // CUDA programming guide, technical specifications
    static constexpr char kAxes[] = "xyz";
    const AbiVariant &variant = *plan_.variant;
    plan_.sharedBytes = variant.sharedBytes;
    int64_t grid[3];
    for (int i = 0; i < 3; ++i) {
      std::string what = std::string("grid ") + kAxes[i];
      grid[i] = evaluateFor("kernel '" + kernel_.name + "': " + what, variant.grid[i], plan_.dimensions, 1);
      if (grid[i] < 0 || grid[i] > kLimits[i])
        refuse(what + ": expected 0 to " + std::to_string(kLimits[i]) + ", found " + std::to_string(grid[i]) +
               " (" + variant.grid[i] + ")");
      if (variant.block[i] == 0 || variant.cluster[i] == 0) refuse("damaged ABI: block or cluster of size 0");
      plan_.grid[i] = static_cast<uint32_t>(grid[i]);
      plan_.block[i] = variant.block[i];
      plan_.cluster[i] = variant.cluster[i];
      if (plan_.grid[i] % plan_.cluster[i])
        refuse(what + ": expected a multiple of the cluster's " + std::to_string(plan_.cluster[i]) +
               ", found " + std::to_string(grid[i]));
    }
  }

  size_t reserve(size_t bytes, size_t alignment) {
    size_t offset = (plan_.parameterBytes.size() + alignment - 1) / alignment * alignment;
    plan_.parameterBytes.resize(offset + bytes);
    plan_.parameterOffsets.push_back(offset);
    return offset;
  }

  void addScalar(uint64_t value) { // hosts of NVIDIA GPUs are little endian, as the devices are
    size_t offset = reserve(sizeof value, alignof(uint64_t));
    std::memcpy(&plan_.parameterBytes[offset], &value, sizeof value);
  }

  void addParameter(const AbiParameter &parameter) {
    switch (parameter.kind) {
    case AbiParameter::Kind::Pointer:
      return addScalar(bound(parameter.name).view->address);
    case AbiParameter::Kind::RowStride:
      return addScalar(static_cast<uint64_t>(bound(parameter.name).rowStride));
    case AbiParameter::Kind::Dimension: {
      auto found = plan_.dimensions.find(parameter.name);
      if (found == plan_.dimensions.end())
        refuse("damaged ABI: it refers to a dimension '" + parameter.name + "' that the kernel lacks");
      return addScalar(static_cast<uint64_t>(found->second));
    }
    case AbiParameter::Kind::TensorMap:
      return addTensorMap(parameter);
    }
    refuse("damaged ABI: parameter of an unknown kind");
  }

  void addTensorMap(const AbiParameter &parameter) {
    const TensorMapRecipe &recipe = parameter.tensorMap;
    const std::string &name = recipe.argument.empty() ? parameter.name : recipe.argument;
    const BoundArgument &argument = bound(name);
    if (argument.abi->layout == ArgumentLayout::ScaleTcgen05)
      refuse("damaged ABI: a tensor map of '" + name + "', whose scales are tiles and not a matrix");
    if (recipe.box.size() != 2)
      refuse("damaged ABI: tensor map of '" + name + "': expected a box of 2 sizes, found " +
             std::to_string(recipe.box.size()));
    TensorMapRequest request;
    request.parameterOffset = reserve(128, 64);
    request.argument = name;
    request.type = argument.abi->type;
    request.address = argument.view->address;
    request.columns = argument.columns;
    request.rows = argument.rows;
    // The driver wants a multiple of 16 even of the stride that a single row never uses.
    request.rowStrideBytes =
        argument.hasRowStride() ? argument.rowStrideBytes() : (argument.bytes + 15) / 16 * 16;
    request.box = {recipe.box[0], recipe.box[1]};
    request.swizzleBytes = recipe.swizzleBytes;
    plan_.tensorMaps.push_back(request);
  }

  const KernelAbi &kernel_;
  std::vector<BoundArgument> bound_;
  LaunchPlan plan_;
};
} // namespace

LaunchPlan planLaunch(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given) {
  return Planner(kernel, arguments, given).take();
}

} // namespace mxc
