#include "runtime/GuardedArguments.h"

namespace mxc {

static Placement placementOf(const AbiArgument &argument, const Dimensions &dimensions,
                             const GuardedArguments::Placements &placements) {
  if (auto given = placements.find(argument.name); given != placements.end()) return given->second;
  Placement placement;
  if (argument.rowStride && !argument.rowStride->empty())
    placement.rowStride = evaluateShape(*argument.rowStride, dimensions);
  return placement;
}

GuardedArguments::GuardedArguments(const Kernel &kernel, const Dimensions &dimensions, const Inputs &inputs,
                                   const Placements &placements) {
  const KernelAbi &abi = kernel.abi();
  for (const AbiArgument &argument : abi.arguments) {
    GuardedTensor &tensor = tensors_.emplace_back(kernel.module().device(), argument.type,
                                                  argumentShape(abi, argument, dimensions),
                                                  placementOf(argument, dimensions, placements));
    isOutput_.push_back(argument.isOutput);
    arguments_.push_back({argument.name, tensor.view()});
    if (argument.isOutput) continue;
    auto input = inputs.find(argument.name);
    if (input == inputs.end())
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + abi.name + "': no bytes for the input '" + argument.name + "'");
    tensor.upload(input->second);
  }
}

void GuardedArguments::poisonAgainst(const std::string &name, std::span<const std::byte> expected) {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].name == name && isOutput_[i]) return tensors_[i].poisonAgainst(expected);
  throw Error(ErrorKind::InvalidInput, "no output '" + name + "' to poison");
}

GuardedArguments::Outputs GuardedArguments::outputs() const {
  Outputs outputs;
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (isOutput_[i]) outputs[arguments_[i].name] = tensors_[i].download();
  return outputs;
}

std::optional<std::string> GuardedArguments::damage() const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (std::optional<int64_t> place = tensors_[i].firstDamage())
      return "wrote outside of '" + arguments_[i].name + "': byte " + std::to_string(*place) +
             " from its start is no longer what it was";
  return std::nullopt;
}

} // namespace mxc
