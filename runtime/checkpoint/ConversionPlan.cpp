#include "runtime/checkpoint/ConversionPlan.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/QuantizationConfig.h"
#include "runtime/checkpoint/RowConverter.h"
#include "runtime/device/TensorView.h"

#include <algorithm>

namespace mxc {

static Error invalid(const Checkpoint &checkpoint, const std::string &message) {
  return Error(ErrorKind::InvalidInput, checkpoint.path() + ": " + message);
}

static QuantizedWeight plannedWeight(const Checkpoint &checkpoint, const Tensor &tensor,
                                     const ConversionRequest &request) {
  const auto refuse = [&](const std::string &expected) {
    throw invalid(checkpoint, "tensor '" + tensor.name + "' (" + tensor.dtype + " " +
                                  shapeText(tensor.shape) + "): expected " + expected +
                                  "; leave it out with --except '" + tensor.name + "'");
  };
  const BlockFormatInfo &format = info(*request.to);
  const std::string module = moduleOfWeight(tensor.name);
  if (module.empty()) refuse("a name that ends in .weight, which readers know");
  if (checkpoint.find(module + "." + std::string(kScales)))
    refuse("a weight that is not quantized yet (convert it --to bf16 first)");
  if (!floatTypeOfSafetensors(tensor.dtype)) refuse("BF16, F16 or F32");
  if (tensor.shape.size() != 2) refuse("a matrix");
  if (tensor.shape[1] > kMostColumns) refuse("at most 2^56 columns");
  if (tensor.shape[1] % format.blockColumns != 0)
    refuse("rows of whole blocks of " + std::to_string(format.blockColumns) + " (" +
           std::string(checkpointFormatOf(*request.to).name) + "), which readers need");
  return {module, *request.to, request.convention, tensor.shape[0], tensor.shape[1]};
}

static std::vector<std::string> namesOf(const Checkpoint &checkpoint) {
  std::vector<std::string> names;
  for (const auto &[name, place] : checkpoint.tensors())
    names.push_back(name);
  return names;
}

/// Where a weight of this tensor's module would stand: what patterns say of it holds for all of its tensors.
static std::string plainNameBeside(const std::string &name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(0, dot + 1) + std::string(kPlainWeight);
}

/// A tensor that may hold codes and stays as it is must be meant to: `--only` and `--except` say so.
static void requireExplained(const Checkpoint &checkpoint, const ConversionRequest &request,
                             const ConversionPlan &plan) {
  const bool isForAll = plan.isBack && !checkpoint.folder().empty(); // so says the configuration
  constexpr size_t kShown = 5;
  std::string found;
  size_t count = 0;
  for (const std::string &name : plan.kept) {
    const Tensor &tensor = *checkpoint.find(name)->tensor;
    const auto matches = [&](const std::vector<std::string> &patterns) {
      return matchesAny(patterns, name) || matchesAny(patterns, plainNameBeside(name));
    };
    const bool isMeant = (!request.only.empty() && !matches(request.only)) || matches(request.except);
    if (!mayHoldCodes(tensor) || (isMeant && !(isForAll && isNarrowFloat(tensor)))) continue;
    if (++count <= kShown)
      found +=
          (found.empty() ? "'" : ", '") + name + "' (" + tensor.dtype + " " + shapeText(tensor.shape) + ")";
  }
  if (count == 0) return;
  if (count > kShown) found += " and " + std::to_string(count - kShown) + " more";
  throw invalid(checkpoint, "tensor" + std::string(count == 1 ? " " : "s ") + found +
                                ": may hold codes or scales, of no weight in " + checkpointFormatNames() +
                                " of compressed-tensors or ModelOpt: expected BF16, F16 or F32" +
                                (isForAll ? "" : "; leave what is meant to stay with --except NAME"));
}

/// Of what stays: the modules that readers are to leave alone, and what nobody may have expected to stay.
static void planKept(const Checkpoint &checkpoint, const std::string &name, ConversionPlan &plan) {
  const Tensor &tensor = *checkpoint.find(name)->tensor;
  const std::string module = moduleOfWeight(name);
  if (tensor.shape.size() < 2 || (module.empty() && !floatTypeOfSafetensors(tensor.dtype))) return;
  plan.keptModules.push_back(module.empty() ? name : module);
  const bool isByRule = matchesAny(linearWeights().except, name);
  if (!isByRule && (module.empty() || tensor.shape.size() > 2)) plan.keptWeights.push_back(name);
}

/// Readers name the module that holds experts, not its tensor of them.
static void addModulesOfExperts(const Checkpoint &checkpoint, ConversionPlan &plan) {
  std::set<std::string> modules;
  for (const std::string &name : plan.keptWeights) {
    if (!moduleOfWeight(name).empty() || checkpoint.find(name)->tensor->shape.size() < 3) continue;
    const std::string module = name.substr(0, std::min(name.rfind('.'), name.size()));
    const auto inside = plan.weights.lower_bound(module + ".");
    const bool holdsConverted = inside != plan.weights.end() && inside->first.starts_with(module + ".");
    if (module != name && !holdsConverted) modules.insert(module);
  }
  plan.keptModules.insert(plan.keptModules.end(), modules.begin(), modules.end());
}

static void planScaleSets(const Checkpoint &checkpoint, const ConversionRequest &request,
                          ConversionPlan &plan) {
  for (const FusedSet &set : request.fused)
    if (std::ranges::none_of(plan.weights, [&](const auto &weight) { return isInSet(weight.first, set); }))
      throw invalid(checkpoint, "the set '" + set.front() + "', .. (--fused) names no weight");
  for (const auto &[module, weight] : plan.weights) // one matrix has rows of one length
    plan.scaleSets[module] =
        fusedModule(module, request.fused) + " of " + std::to_string(weight.columns) + " columns";
}

/// Without --only, what linear layers have: matrices. Names alone say that they are weights.
static void planQuantization(const Checkpoint &checkpoint, const ConversionRequest &request,
                             ConversionPlan &plan) {
  NameSelection selection{request.only, request.except};
  selection.checkUsed(namesOf(checkpoint), checkpoint.path());
  const bool isDefault = request.only.empty();
  if (isDefault) {
    selection = linearWeights();
    selection.except.insert(selection.except.end(), request.except.begin(), request.except.end());
  }
  for (const auto &[name, place] : checkpoint.tensors()) {
    const bool isSelected = selection.selects(name) && !(isDefault && place.tensor->shape.size() != 2);
    if (isSelected) {
      const QuantizedWeight weight = plannedWeight(checkpoint, *place.tensor, request);
      plan.weights.insert({weight.module, weight});
      continue;
    }
    plan.kept.push_back(name);
    planKept(checkpoint, name, plan);
  }
  if (plan.weights.empty())
    throw invalid(checkpoint,
                  "nothing to convert: no matrix \"*.weight\" of a linear layer; choose tensors with --only");
  const auto requireFree = [&](const std::string &name) {
    if (checkpoint.find(name)) // no tensor's name is empty
      throw invalid(checkpoint,
                    "tensor '" + name + "' is there already, where a converted weight's would go");
  };
  for (const auto &[module, weight] : plan.weights) {
    if (weight.codesName() != weight.plainName()) requireFree(weight.codesName());
    requireFree(weight.scalesName());
    requireFree(weight.tensorScaleName());
  }
  addModulesOfExperts(checkpoint, plan);
}

static void planReturn(const Checkpoint &checkpoint, const ConversionRequest &request, ConversionPlan &plan) {
  std::vector<std::string> names = namesOf(checkpoint);
  for (const auto &[name, place] : checkpoint.tensors())
    names.push_back(plainNameBeside(name));
  NameSelection selection{request.only, request.except};
  selection.checkUsed(names, checkpoint.path());
  if (selection.only.empty()) selection.only = {"*"};
  plan.weights = quantizedWeights(checkpoint, selection);
  if (plan.weights.empty())
    throw invalid(checkpoint,
                  "nothing to convert: no quantized weight, such as \"<module>.weight_packed\" with "
                  "\"<module>.weight_scale\"");
  std::set<std::string> used;
  for (const auto &[module, weight] : plan.weights) {
    used.insert({weight.codesName(), weight.scalesName(), weight.tensorScaleName()});
    for (const Convention &convention : conventions())
      for (std::string_view name : convention.ofActivations)
        used.insert(module + "." + std::string(name));
    if (weight.codesName() != weight.plainName() && checkpoint.find(weight.plainName()))
      throw invalid(checkpoint, "tensor '" + weight.plainName() + "' is there already, beside '" +
                                    weight.codesName() + "'");
  }
  for (const auto &[name, place] : checkpoint.tensors()) {
    if (used.contains(name)) continue;
    if (!checkpoint.folder().empty() && belongsToQuantizedWeight(*place.tensor))
      throw invalid(checkpoint, "tensor '" + name +
                                    "' would stay quantized, and the configuration speaks of all "
                                    "weights: convert all of them, or single files");
    plan.kept.push_back(name);
  }
}

ConversionPlan planConversion(const Checkpoint &checkpoint, const ConversionRequest &request) {
  ConversionPlan plan;
  plan.isBack = !request.to.has_value();
  if (plan.isBack) {
    planReturn(checkpoint, request, plan);
  } else {
    requireNoQuantization(checkpoint);
    planQuantization(checkpoint, request, plan);
  }
  requireExplained(checkpoint, request, plan);
  planScaleSets(checkpoint, request, plan);
  for (const auto &[module, weight] : plan.weights)
    plan.formats.insert(std::string(checkpointFormatOf(weight.format).name));
  return plan;
}

} // namespace mxc
