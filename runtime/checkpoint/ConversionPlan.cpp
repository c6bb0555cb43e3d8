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
    const std::string module = moduleOfWeight(name);
    if (!module.empty() && place.tensor->shape.size() == 2) plan.keptModules.push_back(module);
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
}

static void planReturn(const Checkpoint &checkpoint, const ConversionRequest &request, ConversionPlan &plan) {
  std::vector<std::string> plainNames;
  for (const auto &[name, place] : checkpoint.tensors()) {
    const size_t dot = name.rfind('.');
    if (dot != name.npos) plainNames.push_back(name.substr(0, dot + 1) + std::string(kPlainWeight));
  }
  NameSelection selection{request.only, request.except};
  selection.checkUsed(plainNames, checkpoint.path());
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
  for (const auto &[module, weight] : plan.weights)
    plan.formats.insert(std::string(checkpointFormatOf(weight.format).name));
  return plan;
}

std::string fusedModule(const std::string &module) {
  // vLLM and TensorRT-LLM load these into one matrix each, and take one tensor scale for it.
  static const std::vector<std::string> kFused[] = {{"q_proj", "k_proj", "v_proj"},
                                                    {"gate_proj", "up_proj"},
                                                    {"w1", "w3"},
                                                    {"q_a_proj", "kv_a_proj_with_mqa"}};
  const size_t begin = module.rfind('.') + 1; // 0: no dot
  for (const std::vector<std::string> &names : kFused)
    if (std::ranges::find(names, module.substr(begin)) != names.end())
      return module.substr(0, begin) + names.front() + "+";
  return module;
}

} // namespace mxc
