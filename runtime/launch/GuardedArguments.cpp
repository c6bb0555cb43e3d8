#include "runtime/launch/GuardedArguments.h"

namespace mxc {

static Placement placementOf(const AbiArgument &argument, const Dimensions &dimensions,
                             const GuardedArguments::Placements &placements) {
  if (auto given = placements.find(argument.name); given != placements.end()) return given->second;
  Placement placement;
  if (argument.rank() >= 2 && argument.stride(argument.rank() - 2).kind == AbiStride::Kind::Fixed)
    placement.rowStride = argument.stride(argument.rank() - 2).value.evaluate(dimensions);
  return placement;
}

GuardedArguments::GuardedArguments(const Kernel &kernel, const Dimensions &dimensions, const Inputs &inputs,
                                   const Arguments &scalars, const Placements &placements)
    : arguments_(scalars) {
  const KernelAbi &abi = kernel.abi();
  for (const AbiArgument &argument : abi.arguments) {
    if (!argument.isTensor()) continue;
    GuardedTensor tensor = [&] {
      try {
        return GuardedTensor(kernel.module().device(), argument.type,
                             argumentShape(abi, argument, dimensions),
                             placementOf(argument, dimensions, placements));
      } catch (const Error &error) {
        throw Error(error.kind(),
                    "kernel '" + abi.name + "': argument '" + argument.name + "': " + error.what());
      }
    }();
    arguments_.push_back({argument.name, tensor.view()});
    if (argument.isInput()) {
      auto input = inputs.find(argument.name);
      if (input == inputs.end())
        throw Error(ErrorKind::InvalidInput,
                    "kernel '" + abi.name + "': no bytes for the input '" + argument.name + "'");
      tensor.upload(input->second);
    }
    tensors_.push_back({argument.name, argument.isOutput, argument.isInput(), std::move(tensor)});
  }
}

void GuardedArguments::poisonAgainst(const std::string &name, std::span<const std::byte> expected,
                                     std::span<const uint8_t> untouched) {
  for (Guarded &guarded : tensors_)
    if (guarded.name == name && guarded.isOutput) {
      if (!guarded.isInput) guarded.tensor.poisonAgainst(expected, untouched);
      return;
    }
  throw Error(ErrorKind::InvalidInput, "no output '" + name + "' to poison");
}

GuardedArguments::Outputs GuardedArguments::outputs() const {
  Outputs outputs;
  for (const Guarded &guarded : tensors_)
    if (guarded.isOutput) outputs[guarded.name] = guarded.tensor.download();
  return outputs;
}

std::optional<std::string> GuardedArguments::damage() const {
  for (const Guarded &guarded : tensors_)
    if (std::optional<int64_t> place = guarded.tensor.firstDamage())
      return "wrote outside of '" + guarded.name + "': byte " + std::to_string(*place) +
             " from its start is no longer what it was";
  return std::nullopt;
}

} // namespace mxc
