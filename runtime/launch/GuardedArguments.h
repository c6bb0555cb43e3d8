// A kernel's tensors on its device, each between guards: a kernel runs on them to be judged.
#pragma once

#include "runtime/launch/ArgumentShapes.h"
#include "runtime/launch/GuardedTensor.h"
#include "runtime/launch/Kernel.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

class GuardedArguments {
public:
  using Inputs = std::map<std::string, std::span<const std::byte>, std::less<>>; // contiguous rows
  using Outputs = std::map<std::string, std::vector<std::byte>, std::less<>>;
  using Placements = std::map<std::string, Placement, std::less<>>;

  /// Allocates every tensor and uploads the inputs; passes `scalars` on and leaves workspaces to the runtime.
  /// Without a placement, rows lie as the kernel's type says. Throws mxc::Error as GuardedTensor does;
  /// InvalidInput if an input is missing.
  GuardedArguments(const Kernel &kernel, const Dimensions &dimensions, const Inputs &inputs,
                   const Arguments &scalars = {}, const Placements &placements = {});

  const Arguments &arguments() const { return arguments_; }

  /// Calls GuardedTensor::poisonAgainst for the output `name`, unless it is an input as well.
  void poisonAgainst(const std::string &name, std::span<const std::byte> expected,
                     std::span<const uint8_t> untouched = {});

  Outputs outputs() const;

  /// Reports the first damaged guard: "wrote outside of 'q': byte -3 from its start is no longer what it
  /// was".
  std::optional<std::string> damage() const;

private:
  struct Guarded {
    std::string name;
    bool isOutput, isInput;
    GuardedTensor tensor;
  };
  std::vector<Guarded> tensors_; // in the ABI's order
  Arguments arguments_;
};

} // namespace mxc
